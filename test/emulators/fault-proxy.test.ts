import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { listen, portOf } from '../../emulators/base/listen.ts';
import { type FaultProxy, startFaultProxy } from '../../emulators/stack/fault-proxy.ts';
import { NOWHERE } from '../support/nowhere.ts';

const cleanup: (() => unknown)[] = [];

afterEach(async () => {
  for (const undo of cleanup.splice(0).reverse()) await undo();
});

/** Starts an echo server behind a fault proxy. */
async function proxiedEcho(): Promise<{ proxy: FaultProxy; server: Server }> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    socket.pipe(socket);
  });
  await listen(server, 0);
  const proxy = await startFaultProxy({ host: '127.0.0.1', port: portOf(server) });
  cleanup.push(
    () => server.close(),
    () => proxy.stop(),
  );
  return { proxy, server };
}

function connect(proxy: FaultProxy): Socket {
  const socket = createConnection({ port: proxy.port, host: '127.0.0.1' });
  cleanup.push(() => socket.destroy());
  return socket;
}

async function received(socket: Socket, length: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= length) break;
  }
  return Buffer.concat(chunks).toString();
}

async function errorCode(socket: Socket): Promise<unknown> {
  const [error] = await once(socket, 'error');
  return error.code;
}

describe('no fault', () => {
  test('without a fault, data arrives and the answer comes back', async () => {
    const { proxy } = await proxiedEcho();
    const socket = connect(proxy);
    socket.write('hello');
    expect(await received(socket, 5)).toBe('hello');
    expect(proxy.sentBytes()).toBe(5);
  });

  test('a client that has closed its sending side still gets the whole answer', async () => {
    const { proxy } = await proxiedEcho();
    const socket = connect(proxy);
    const message = 'x'.repeat(5_000_000);
    socket.end(message);
    expect((await text(socket)).length).toBe(message.length);
  });

  test('when the server ends a connection, the proxy ends the client’s connection', async () => {
    const server = createServer((socket) => socket.end('bye'));
    await listen(server, 0);
    const proxy = await startFaultProxy({ host: '127.0.0.1', port: portOf(server) });
    cleanup.push(
      () => server.close(),
      () => proxy.stop(),
    );
    expect(await text(connect(proxy))).toBe('bye');
  });

  test('if no server listens behind the proxy, the client’s connection is reset', async () => {
    const proxy = await startFaultProxy({ host: '127.0.0.1', port: Number(new URL(NOWHERE).port) });
    cleanup.push(() => proxy.stop());
    const socket = connect(proxy);
    expect(await errorCode(socket)).toBe('ECONNRESET');
  });
});

describe('the fault "down"', () => {
  test('the fault "down" cuts an open connection', async () => {
    const { proxy } = await proxiedEcho();
    const socket = connect(proxy);
    socket.write('hello');
    await received(socket, 5);
    const cut = errorCode(socket);
    proxy.set('down');
    expect(await cut).toBe('ECONNRESET');
  });

  test('the fault "down" resets a new connection', async () => {
    const { proxy } = await proxiedEcho();
    proxy.set('down');
    expect(await errorCode(connect(proxy))).toBe('ECONNRESET');
  });

  test('connections work again after the fault "down" is cleared', async () => {
    const { proxy } = await proxiedEcho();
    proxy.set('down');
    proxy.set(null);
    const socket = connect(proxy);
    socket.write('hello');
    expect(await received(socket, 5)).toBe('hello');
  });

  test('the fault "down" drops data that a delay holds back', async () => {
    const { proxy } = await proxiedEcho();
    proxy.set({ delay_ms: 600_000 });
    const socket = connect(proxy);
    socket.write('hello');
    await expect.poll(() => proxy.sentBytes()).toBe(5);
    const cut = errorCode(socket);
    proxy.set('down');
    expect(await cut).toBe('ECONNRESET');
  });
});

describe('silence', () => {
  test.each(['silent', 'silent answers', 'silent connects'] as const)(
    'after the fault "%s", a connection that was open stays open without an answer, and a new one works',
    async (fault) => {
      const { proxy } = await proxiedEcho();
      const socket = connect(proxy);
      socket.write('hello');
      expect(await received(socket, 5)).toBe('hello');
      proxy.set(fault);
      const during = connect(proxy);
      during.write('hello');
      if (fault !== 'silent connects') expect(await received(during, 5)).toBe('hello');
      else await expect.poll(() => proxy.sentBytes()).toBe(10);
      proxy.set(null);
      socket.write('again');
      await expect.poll(() => proxy.sentBytes()).toBe(15);
      const after = connect(proxy);
      after.write('hello');
      expect(await received(after, 5)).toBe('hello');
      expect([socket.readableLength, socket.readableEnded, socket.destroyed]).toEqual([0, false, false]);
    },
  );
});

describe('a delay', () => {
  test('delayed data stays in order', async () => {
    const { proxy } = await proxiedEcho();
    proxy.set({ delay_ms: 100 });
    const socket = connect(proxy);
    await once(socket, 'connect');
    for (const part of ['one ', 'two ', 'three']) socket.write(part);
    expect(await received(socket, 13)).toBe('one two three');
  });

  test('a delay also holds back the end of the stream, so that it comes after the data', async () => {
    const { proxy } = await proxiedEcho();
    proxy.set({ delay_ms: 20 });
    const socket = connect(proxy);
    socket.end('last words');
    expect(await text(socket)).toBe('last words');
  });

  test('when a delay is cleared, the data that it holds back is sent at once, in order', async () => {
    const { proxy } = await proxiedEcho();
    proxy.set({ delay_ms: 600_000 });
    const socket = connect(proxy);
    socket.write('held ');
    await expect.poll(() => proxy.sentBytes()).toBe(5);
    proxy.set(null);
    socket.write('then');
    expect(await received(socket, 9)).toBe('held then');
  });
});
