import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { listen, portOf } from '../../emulators/base/listen.ts';
import { startFaultProxy } from '../../emulators/stack/faults.ts';
import { NOWHERE } from '../support/client.ts';

/** Starts a fault proxy in front of a server, which echoes by default. `connect` opens a connection to the proxy. */
const startProxied = async (handle = (socket: Socket): unknown => socket.pipe(socket)) => {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    handle(socket);
  });
  await listen(server, 0);
  const proxy = await startFaultProxy({ host: '127.0.0.1', port: portOf(server) });
  onTestFinished(() => void server.close());
  onTestFinished(() => proxy.stop());
  const connect = () => {
    const socket = createConnection({ port: proxy.port, host: '127.0.0.1' });
    onTestFinished(() => void socket.destroy());
    return socket;
  };
  return { proxy, connect };
};

const received = async (socket: Socket, length: number): Promise<string> => {
  let all = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    all += chunk;
    if (all.length >= length) break;
  }
  return all;
};

const errorCode = async (socket: Socket): Promise<unknown> => (await once(socket, 'error'))[0].code;

test('without a fault, everything arrives, even after one side has ended', async () => {
  const { proxy, connect } = await startProxied();
  const message = 'x'.repeat(5_000_000);
  const socket = connect();
  socket.end(message);
  expect((await text(socket)).length).toBe(message.length);
  expect(proxy.sentBytes()).toBe(message.length);
  const ending = await startProxied((server) => server.end('bye'));
  expect(await text(ending.connect())).toBe('bye');
});

test('if no server listens behind the proxy, the client’s connection is reset', async () => {
  const proxy = await startFaultProxy({ host: '127.0.0.1', port: Number(new URL(NOWHERE).port) });
  onTestFinished(() => proxy.stop());
  expect(await errorCode(createConnection({ port: proxy.port, host: '127.0.0.1' }))).toBe('ECONNRESET');
});

test('the fault "down" resets open and new connections, with the data that a delay holds back, until it is cleared', async () => {
  const { proxy, connect } = await startProxied();
  proxy.set({ delay_ms: 600_000 });
  const open = connect();
  open.write('hello');
  await expect.poll(() => proxy.sentBytes()).toBe(5);
  const cut = errorCode(open);
  proxy.set('down');
  expect([await cut, await errorCode(connect())]).toEqual(['ECONNRESET', 'ECONNRESET']);
  proxy.set(null);
  const after = connect();
  after.write('hello');
  expect(await received(after, 5)).toBe('hello');
});

test.each(['silent', 'silent answers', 'silent connects'] as const)(
  'after the fault "%s", a connection that was open stays open without an answer, and a new one works',
  async (fault) => {
    const { proxy, connect } = await startProxied();
    const socket = connect();
    socket.write('hello');
    expect(await received(socket, 5)).toBe('hello');
    proxy.set(fault);
    const during = connect();
    during.write('hello');
    if (fault !== 'silent connects') expect(await received(during, 5)).toBe('hello');
    else await expect.poll(() => proxy.sentBytes()).toBe(10);
    proxy.set(null);
    socket.write('again');
    await expect.poll(() => proxy.sentBytes()).toBe(15);
    const after = connect();
    after.write('hello');
    expect(await received(after, 5)).toBe('hello');
    expect([socket.readableLength, socket.readableEnded, socket.destroyed]).toEqual([0, false, false]);
  },
);

test('delayed data stays in order, the end comes last, and a cleared delay sends at once what it held back', async () => {
  const { proxy, connect } = await startProxied();
  proxy.set({ delay_ms: 20 });
  const socket = connect();
  await once(socket, 'connect');
  for (const part of ['one ', 'two ']) socket.write(part);
  socket.end('three');
  expect(await text(socket)).toBe('one two three');
  proxy.set({ delay_ms: 600_000 });
  const held = connect();
  held.write('held ');
  await expect.poll(() => proxy.sentBytes()).toBe(18);
  proxy.set(null);
  held.write('then');
  expect(await received(held, 9)).toBe('held then');
});
