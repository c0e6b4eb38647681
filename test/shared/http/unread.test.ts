import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { makeLog } from '../../../shared/base/log.ts';
import { readConfig } from '../../../shared/config.ts';
import { Routes } from '../../../shared/http/pipeline.ts';
import type { Request } from '../../../shared/http/request.ts';
import { makeListener } from '../../../shared/http/serve.ts';
import { NO_METRICS } from '../../../shared/telemetry/metrics.ts';
import { MINIMAL } from '../environment.ts';
import { withServer } from './exchange.ts';

/** A text that is longer than the kernel’s buffers at both ends of a connection. */
const text = 'x'.repeat(16 * 1024 * 1024);
const spec = {
  id: 'large',
  path: '/',
  summary: 'a large answer',
  description: 'It is large.',
  tag: 'Health',
  statuses: [200],
  answer: z.string(),
} as const;
const { description } = new Routes([]).openRoute({ ...spec, respond: async () => ({ status: 200, body: text }) });

/** Answers a request of one tenant while the client’s socket is paused. */
function answerUnread(use: (request: Request, client: Socket) => Promise<void>): Promise<void> {
  const answered = Promise.withResolvers<void>();
  const received = Promise.withResolvers<Request>();
  const respond = async (request: Request) => {
    request.turns.set('tenant-1', await request.inFlight.tenants.take('tenant-1'));
    received.resolve(request);
    return { status: 200, text };
  };
  const services = { config: readConfig(MINIMAL), log: makeLog(() => answered.resolve()), metrics: NO_METRICS };
  const listener = makeListener(services, async () => ({ route: { description, respond }, pathId: '' }));
  return withServer(listener, async (port) => {
    const client = connect(port, '127.0.0.1').pause();
    client.on('error', () => undefined);
    onTestFinished(() => void client.destroy());
    client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await answered.promise;
    await use(await received.promise, client);
  });
}

function stopTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

test('if a client has not received an answer after 20 seconds, the answer is dropped and the connection closed', async () => {
  stopTimers();
  await answerUnread(async ({ message: { socket } }) => {
    vi.advanceTimersByTime(19_999);
    expect(socket.destroyed).toBe(false);
    vi.advanceTimersByTime(1);
    expect(socket.destroyed).toBe(true);
  });
});

test('a connection stays open if the client has received the answer', async () => {
  stopTimers();
  await answerUnread(async ({ message: { socket }, ended }, client) => {
    client.resume();
    await ended;
    vi.advanceTimersByTime(60_000);
    expect(socket.destroyed).toBe(false);
  });
});

test.each<[string, (client: Socket) => unknown]>([
  ['its client receives the answer', (client) => client.resume()],
  ['its client closes the connection', (client) => client.destroy()],
])('a request counts against its sender’s quota of requests in flight until %s', async (_, act) => {
  await answerUnread(async ({ inFlight: { tenants }, ended }, client) => {
    for (let others = 0; others < 383; others++) await tenants.take('tenant-1');
    await expect(tenants.take('tenant-1')).rejects.toThrow('too many requests in progress');
    act(client);
    await ended;
    await tenants.take('tenant-1');
  });
});
