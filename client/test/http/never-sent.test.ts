import { createPrivateKey } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { listen, portOf } from '../../../emulators/base/listen.ts';
import { EncryptionService } from '../../src/service.ts';
import { failureOf } from '../support/failure-of.ts';
import { API_KEY } from '../support/objects.ts';

const create = (settings: { url: string; fetch?: typeof fetch }) =>
  failureOf(new EncryptionService({ ...settings, apiKey: API_KEY, maxRetries: 0 }).createApiKey({ name: 'app' }));

/** Starts a server for one test and returns its port. */
async function started(server: Server): Promise<number> {
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket.on('error', () => undefined)));
  server.on('tlsClientError', () => undefined);
  await listen(server, 0);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return portOf(server);
}

/** A server that acts as soon as a client has sent something. */
const onData = (act: (socket: Socket) => void) => createServer((socket) => socket.once('data', () => act(socket)));

/** A key and a self-signed certificate, for tests only. No server that people use has them. */
const TEST_KEY = 'MC4CAQAwBQYDK2VwBCIEIF51DzpBxEG0cBSwbQK0lksKG+tqzH0VmdcLgiwM5uDs';
const TEST_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIHRMIGEAgEBMAUGAytlcDAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwIBcNMjYwMTAxMDAwMDAwWhgPMjEyNjAxMDEwMDAwMDBaMBQx
EjAQBgNVBAMMCWxvY2FsaG9zdDAqMAUGAytlcAMhAFkLmG72wtfTpCk1DUqaVGv/ef8g4UvNb7sIV4ii5U5UMAUGAytlcANBAP/t
rnueDxv482rQ6ATCeSpoNEV4xQcIXnF5eburwtXXN4ry74HIlz6iebbiMPhS6unx2UynrPyoxJFx7iU7ZQQ=
-----END CERTIFICATE-----`;

function tlsServer(options: TlsOptions = {}): Server {
  const key = createPrivateKey({ key: Buffer.from(TEST_KEY, 'base64'), format: 'der', type: 'pkcs8' });
  return createTlsServer({ key: key.export({ format: 'pem', type: 'pkcs8' }), cert: TEST_CERTIFICATE, ...options });
}

test.each([
  ['ends the connection during the handshake', () => onData((socket) => socket.end())],
  ['resets the connection during the handshake', () => onData((socket) => socket.resetAndDestroy())],
  ['does not speak TLS', () => onData((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))],
  ['has an untrusted certificate', () => tlsServer()],
  ['speaks only an old version of TLS', () => tlsServer({ maxVersion: 'TLSv1.1', minVersion: 'TLSv1.1' })],
  ['speaks another protocol over TLS', () => tlsServer({ ALPNProtocols: ['other'] })],
])('a creation fails as unreachable, not as a lost answer, if the server %s', async (_, server) => {
  const error = await create({ url: `https://localhost:${await started(server())}` });
  expect(error).toMatchObject({ code: 'unreachable', retryable: true });
});

test.each([
  ['ends the connection', (socket: Socket) => socket.end()],
  ['resets the connection', (socket: Socket) => socket.resetAndDestroy()],
])('a creation fails with a lost answer, and is not retryable, if the server %s after the request', async (_, act) => {
  const error = await create({ url: `http://127.0.0.1:${await started(onData(act))}` });
  expect(error).toMatchObject({ code: 'answer_lost', retryable: false });
});

const thrown = (code: string): unknown => runInNewContext(code);
const system = (code: string, syscall: string) =>
  `Object.assign(new Error('${syscall} ${code}'), { code: '${code}', syscall: '${syscall}' })`;
const caused = (cause: string) => `new TypeError('fetch failed', { cause: ${cause} })`;

test.each([
  ['unreachable', 'a refused connection', caused(system('ECONNREFUSED', 'connect'))],
  ['unreachable', 'a connection that a local firewall forbids', caused(system('EPERM', 'connect'))],
  ['unreachable', 'a time-out of connecting', caused(system('ETIMEDOUT', 'connect'))],
  ['unreachable', 'an unknown host', caused(system('ENODATA', 'getaddrinfo'))],
  [
    'unreachable',
    'all addresses of a host',
    caused(`new AggregateError([${system('ENETUNREACH', 'connect')}, ${system('EACCES', 'connect')}])`),
  ],
  ['unreachable', 'a thrown object that is no Error', `({ cause: { code: 'ECONNREFUSED' } })`],
  ['answer_lost', 'a reset', caused(system('ECONNRESET', 'read'))],
  ['answer_lost', 'a time-out of reading', caused(system('ETIMEDOUT', 'read'))],
  [
    'answer_lost',
    'several attempts of which one was sent',
    `new AggregateError([${system('ECONNREFUSED', 'connect')}, ${system('ECONNRESET', 'read')}])`,
  ],
  ['answer_lost', 'an error that is its own cause', `(() => { const e = new Error('x'); return (e.cause = e); })()`],
  ['answer_lost', 'a thrown text', `'ECONNREFUSED'`],
])('the code is %s if fetch fails in another realm because of %s', async (code, _, error) => {
  const send = () => Promise.reject(thrown(error));
  expect(await create({ url: 'https://api.example.com', fetch: send })).toMatchObject({ code });
});
