import { readFileSync } from 'node:fs';
import { credentials, makeGenericClientConstructor, Server, ServerCredentials, status } from '@grpc/grpc-js';
import { afterEach, expect, test, vi } from 'vitest';
import { type Silence, startFaultProxy } from '../../emulators/stack/faults.ts';
import { DEADLINES_MS } from '../../shared/deadlines.ts';
import { makeChannelOptions } from '../../shared/grpc/channel.ts';

const asBytes = (value: Buffer) => value;
const method = {
  path: '/test/Ask',
  requestStream: false,
  responseStream: false,
  requestSerialize: asBytes,
  requestDeserialize: asBytes,
  responseSerialize: asBytes,
  responseDeserialize: asBytes,
} as const;
type Answer = (callback: (error: { code: number } | null, value?: Buffer) => void) => void;

const ends: (() => void)[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const end of ends.splice(0)) end();
});

/**
 * Starts a server behind a fault proxy. The test can set its answer. `ask` sends a request and returns the status code
 * of the answer. `more` are options of the channel.
 */
async function connect(deadlineMs: number, more: object = {}) {
  let answer: Answer = () => undefined;
  const server = new Server();
  server.addService({ ask: method }, { ask: (_: unknown, callback: Parameters<Answer>[0]) => answer(callback) });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  const proxy = await startFaultProxy({ host: '127.0.0.1', port });
  const {
    'grpc.callInvocationTransformer': callInvocationTransformer,
    'grpc.channelFactoryOverride': channelFactoryOverride,
    ...options
  } = makeChannelOptions(deadlineMs);
  const Client = makeGenericClientConstructor({}, 'test');
  const client = new Client(`127.0.0.1:${proxy.port}`, credentials.createInsecure(), {
    ...options,
    ...more,
    callInvocationTransformer,
    channelFactoryOverride,
  });
  ends.push(
    () => client.close(),
    () => void proxy.stop(),
    () => server.forceShutdown(),
  );
  return {
    proxy,
    answerWith: (next: Answer) => {
      answer = next;
    },
    ask: () =>
      new Promise<number>((resolve) => {
        client.makeUnaryRequest(method.path, asBytes, asBytes, Buffer.alloc(1), (error) => resolve(error?.code ?? 0));
      }),
  };
}

const unavailable: Answer = (callback) => callback({ code: status.UNAVAILABLE });
const fine: Answer = (callback) => callback(null, Buffer.alloc(1));
const refused: Answer = (callback) => callback({ code: status.PERMISSION_DENIED });

test('the error of a gRPC call allows a retry, except during an outage of the server, and any answer ends the outage', async () => {
  const { answerWith, ask } = await connect(60_000);
  const now = vi.spyOn(performance, 'now');
  const at = async (ms: number, answer: Answer) => {
    now.mockReturnValue(ms);
    answerWith(answer);
    return ask();
  };
  const { outage } = DEADLINES_MS;
  expect(await at(1_000, unavailable)).toBe(status.UNAVAILABLE);
  expect(await at(1_000 + outage - 1, unavailable)).toBe(status.UNAVAILABLE);
  expect(await at(1_000 + outage, unavailable)).toBe(status.DATA_LOSS);
  expect(await at(1_000 + 9 * outage, unavailable)).toBe(status.DATA_LOSS);
  // Even an answer with an error status ends the outage.
  expect(await at(1_000 + 10 * outage, refused)).toBe(status.PERMISSION_DENIED);
  expect(await at(1_000 + 11 * outage, unavailable)).toBe(status.UNAVAILABLE);
  expect(await at(1_000 + 11 * outage + 1, fine)).toBe(status.OK);
  expect(await at(1_000 + 12 * outage, unavailable)).toBe(status.UNAVAILABLE);
});

test('a gRPC call fails at its deadline', async () => {
  const { ask } = await connect(50);
  expect(await ask()).toBe(status.DEADLINE_EXCEEDED);
});

/** Returns the number of this process's open client connections to a port. */
function connectionsTo(port: number): number {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = readFileSync('/proc/self/net/tcp', 'utf8')
    .split('\n')
    .map((row) => row.trim().split(/\s+/));
  // The kernel shows a connection without an inode once its socket is closed.
  return rows.filter(([, , remote = '', , , , , , , inode]) => remote.endsWith(suffix) && inode !== '0').length;
}

const NO_PING = { 'grpc.keepalive_time_ms': 3_600_000 };
const PINGS = { 'grpc.keepalive_time_ms': 10, 'grpc.keepalive_timeout_ms': 500 };

test.each<[Silence, string, number, object]>([
  ['silent', 'calls', 200, NO_PING],
  ['silent answers', 'calls', 200, NO_PING],
  ['silent connects', 'calls', 200, NO_PING],
  ['silent', 'a ping', 3_000, PINGS],
])('with the fault “%s”, %s without an answer lead to a new connection, and the old one is closed', async (...row) => {
  const [fault, , deadlineMs, options] = row;
  const { proxy, answerWith, ask } = await connect(deadlineMs, options);
  answerWith(fine);
  await expect.poll(ask).toBe(status.OK);
  proxy.set(fault);
  expect(await ask()).not.toBe(status.OK);
  proxy.set(null);
  await expect.poll(ask).toBe(status.OK);
  await expect.poll(() => connectionsTo(proxy.port)).toBe(1);
});

test('a channel keeps its connection while some calls are answered, although others miss their deadlines', async () => {
  const { proxy, answerWith, ask } = await connect(500, NO_PING);
  for (let round = 0; round < 3; round++) {
    answerWith(fine);
    await expect.poll(ask).toBe(status.OK);
    answerWith(() => undefined);
    expect(await ask()).toBe(status.DEADLINE_EXCEEDED);
  }
  expect(connectionsTo(proxy.port)).toBe(1);
});
