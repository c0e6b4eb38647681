import { credentials, makeGenericClientConstructor, Server, ServerCredentials, status } from '@grpc/grpc-js';
import { afterEach, expect, test, vi } from 'vitest';
import { DEADLINES_MS } from '../../../shared/deadlines.ts';
import { makeChannelOptions } from '../../../shared/grpc/channel.ts';

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

/** Starts a server whose answer the test can set. `ask` sends a request and returns the status code of the answer. */
async function connect(deadlineMs: number) {
  let answer: Answer = () => undefined;
  const server = new Server();
  server.addService({ ask: method }, { ask: (_: unknown, callback: Parameters<Answer>[0]) => answer(callback) });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  const { 'grpc.callInvocationTransformer': callInvocationTransformer, ...options } = makeChannelOptions(deadlineMs);
  const Client = makeGenericClientConstructor({}, 'test');
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
    ...options,
    callInvocationTransformer,
  });
  ends.push(
    () => client.close(),
    () => server.forceShutdown(),
  );
  return {
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
