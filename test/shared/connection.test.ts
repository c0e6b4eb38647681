import { readFileSync } from 'node:fs';
import { credentials, makeGenericClientConstructor, Server, ServerCredentials, status } from '@grpc/grpc-js';
import { afterEach, expect, test, vi } from 'vitest';
import { type Silence, startFaultProxy } from '../../emulators/stack/faults.ts';
import { DEADLINES_MS } from '../../shared/deadlines.ts';
import { makeChannelOptions } from '../../shared/grpc/channel.ts';
import { Connection } from '../../shared/grpc/connection.ts';
import { GRPC } from '../../shared/grpc/status.ts';

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
  vi.useRealTimers();
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
  const Client = makeGenericClientConstructor({}, 'test');
  // Google's clients remove the prefix of this option.
  const { 'grpc.channelFactoryOverride': channelFactoryOverride, ...channel } = makeChannelOptions(deadlineMs);
  const options = { ...channel, ...more, channelFactoryOverride };
  const open = () => new Client(`127.0.0.1:${proxy.port}`, credentials.createInsecure(), options);
  const connection = new Connection({ what: 'kms', deadlineMs }, open);
  ends.push(
    () => void connection.close(),
    () => void proxy.stop(),
    () => server.forceShutdown(),
  );
  let attempts = 0;
  return {
    proxy,
    attempts: () => attempts,
    answerWith: (next: Answer) => {
      answer = next;
    },
    /** Returns the status of the answer, `OK` or `late`. */
    ask: (again: readonly number[] = []) =>
      connection
        .call(again, (client, { timeout }) => {
          attempts++;
          const { promise, resolve, reject } = Promise.withResolvers<string>();
          const deadline = Date.now() + timeout;
          client.makeUnaryRequest(method.path, asBytes, asBytes, Buffer.alloc(1), { deadline }, (error) =>
            error === null ? resolve('OK') : reject(error),
          );
          return promise;
        })
        .catch((error: { readonly code?: number }) =>
          error.code === undefined || error.code === status.DEADLINE_EXCEEDED ? 'late' : status[error.code],
        ),
  };
}

const unavailable: Answer = (callback) => callback({ code: status.UNAVAILABLE });
const fine: Answer = (callback) => callback(null, Buffer.alloc(1));
const refused: Answer = (callback) => callback({ code: status.PERMISSION_DENIED });

test('during an outage of the server, calls are repeated only for a moment, and any answer ends the outage', async () => {
  const { answerWith, ask, attempts } = await connect(60_000);
  const now = vi.spyOn(performance, 'now');
  const { outage, reconnect } = DEADLINES_MS;
  /** Returns the status of a call whose first attempt is answered after `tookMs`, and the number of its attempts. */
  const at = async (ms: number, first: Answer, tookMs = 0) => {
    now.mockReturnValue(ms);
    const before = attempts();
    answerWith((callback) => {
      now.mockReturnValue(ms + tookMs);
      if (attempts() === before + 1) first(callback);
      else refused(callback);
    });
    return [await ask([GRPC.UNAVAILABLE]), attempts() - before];
  };
  answerWith(unavailable);
  now.mockReturnValue(1_000);
  expect(await ask()).toBe('UNAVAILABLE');
  expect(await at(1_000 + outage, unavailable, reconnect)).toEqual(['UNAVAILABLE', 1]);
  expect(await at(1_000 + 9 * outage, unavailable, reconnect)).toEqual(['UNAVAILABLE', 1]);
  // Even an answer with an error status ends the outage.
  expect(await at(1_000 + 10 * outage, unavailable, reconnect - 1)).toEqual(['PERMISSION_DENIED', 2]);
  expect(await at(1_000 + 11 * outage, unavailable, reconnect)).toEqual(['PERMISSION_DENIED', 2]);
  expect(await at(1_000 + 12 * outage, fine)).toEqual(['OK', 1]);
});

test('a call that is not answered ends at its deadline', async () => {
  const { ask } = await connect(50);
  expect(await ask()).toBe('late');
});

test('all attempts of a call have one deadline, and once it has passed, there are no more', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const connection = new Connection({ what: 'kms', deadlineMs: 1_000 }, () => ({ close() {} }));
  const left: number[] = [];
  const calling = connection.call([GRPC.UNAVAILABLE], async (_client, { timeout }) => {
    left.push(timeout);
    vi.advanceTimersByTime(400);
    throw Object.assign(new Error('unavailable'), { code: GRPC.UNAVAILABLE });
  });
  await expect(calling).rejects.toMatchObject({ name: 'DeadlineExceeded' });
  expect(left).toEqual([1_000, 600, 200]);
});

test('a client that could not be made is made again by the next call', async () => {
  const client = { close() {} };
  const open = vi
    .fn<() => Promise<typeof client>>()
    .mockRejectedValueOnce(new Error('EMFILE'))
    .mockResolvedValue(client);
  const connection = new Connection({ what: 'kms', deadlineMs: 1_000 }, open);
  const ask = () => connection.call([], async (used) => used);
  await expect(ask()).rejects.toThrow('EMFILE');
  expect([await ask(), await ask()]).toEqual([client, client]);
  expect(open).toHaveBeenCalledTimes(2);
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
  await expect.poll(() => ask()).toBe('OK');
  proxy.set(fault);
  expect(await ask()).not.toBe('OK');
  proxy.set(null);
  await expect.poll(() => ask()).toBe('OK');
  await expect.poll(() => connectionsTo(proxy.port)).toBe(1);
});

test('a channel keeps its connection while some calls are answered, although others miss their deadlines', async () => {
  const { proxy, answerWith, ask } = await connect(5_000, NO_PING);
  for (let round = 0; round < 3; round++) {
    answerWith(fine);
    await expect.poll(() => ask()).toBe('OK');
    answerWith(() => undefined);
    expect(await ask()).toBe('late');
  }
  expect(connectionsTo(proxy.port)).toBe(1);
});
