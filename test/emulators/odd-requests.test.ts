import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { listenForRedirect } from '../../client/src/cli/loopback.ts';
import { portOf } from '../../emulators/base/listen.ts';
import { startGateway } from '../../emulators/gateway/server.ts';
import { startHosting } from '../../emulators/hosting/server.ts';
import { controlRoute, startControl } from '../../emulators/stack/control-server.ts';
import { makeRouter } from '../../functions/router.ts';
import { makeLog } from '../../shared/base/log.ts';
import { readConfig } from '../../shared/config.ts';
import { makeListener } from '../../shared/http/serve.ts';
import { makeServer } from '../../shared/http/server.ts';
import { NO_METRICS } from '../../shared/telemetry/metrics.ts';
import { listen } from '../support/second-service.ts';

interface Running {
  readonly port: number;
  stop(): unknown;
}

const MINIMAL = {
  GOOGLE_CLOUD_PROJECT: 'p',
  KMS_KEY_RING: 'projects/p/locations/global/keyRings/k',
  POLICY_DECISION_URL: 'http://127.0.0.1:1',
};
const origins = { api: 'http://127.0.0.1:1', issuer: 'http://127.0.0.1:1' };

/** Starts each server that callers reach, and the double of the gateway before it. */
const SERVERS: Readonly<Record<string, () => Promise<Running>>> = {
  async service() {
    const own = { config: readConfig(MINIMAL), log: makeLog(() => undefined), metrics: NO_METRICS };
    const server = makeServer(makeListener(own, makeRouter([])), own.log);
    return { port: await listen(server), stop: () => server.close() };
  },
  'redirect server of esk login': async () => {
    const { uri, close } = await listenForRedirect('state');
    return { port: Number(new URL(uri).port), stop: close };
  },
  console: () => startHosting({ port: 0, ...origins }),
  gateway: () => startGateway({ port: 0, operations: [], idToken: async () => 'none' }),
};

const HOST = 'host: 127.0.0.1';
const UPGRADE = ['connection: upgrade', 'upgrade: websocket'];

/** The start of each odd request: its request line and its headers. */
const ODD: Readonly<Record<string, readonly string[]>> = {
  'two slashes': ['GET // HTTP/1.1', HOST],
  'a body for two slashes': ['POST // HTTP/1.1', HOST, 'content-length: 0'],
  'three slashes': ['GET /// HTTP/1.1', HOST],
  'a percent sign': ['GET /% HTTP/1.1', HOST],
  'an escaped NUL': ['GET /assets/%00 HTTP/1.1', HOST],
  'an escape in the query': ['GET /?%ff&%=% HTTP/1.1', HOST],
  'dot segments': ['GET /../../../etc/passwd HTTP/1.1', HOST],
  backslashes: ['GET /\\\\x HTTP/1.1', HOST],
  'an asterisk': ['OPTIONS * HTTP/1.1', HOST],
  'an absolute target': ['GET http://x/ HTTP/1.1', HOST],
  'an absolute target without a valid host': ['GET http://[ HTTP/1.1', HOST],
  'an absolute target with an invalid port': ['GET http://a:b/ HTTP/1.1', HOST],
  'a long target': [`GET /${'a'.repeat(80_000)} HTTP/1.1`, HOST],
  'a target with bytes that are not ASCII': ['GET /\xff\xfe?\xe9 HTTP/1.1', HOST],
  'an invalid host': ['GET / HTTP/1.1', 'host: a b//['],
  'an invalid forwarded host': ['GET / HTTP/1.1', 'host: [', 'x-forwarded-host: ['],
  'two hosts': ['GET / HTTP/1.1', HOST, HOST],
  'no host': ['GET / HTTP/1.0'],
  'invalid cookies': ['GET / HTTP/1.1', HOST, 'cookie: _session=%ff; =; a=%'],
  'an unknown expectation': ['GET / HTTP/1.1', HOST, 'expect: none'],
  'an upgrade': ['GET / HTTP/1.1', HOST, ...UPGRADE],
  CONNECT: ['CONNECT a:1 HTTP/1.1', HOST],
  'a TLS handshake': ['\x16\x03\x01\x00\xa5\x01'],
  'invalid HTTP/2': ['PRI * HTTP/2.0', '', 'SM', '', '\xff\xff\xff\xff'],
};

/** Sends a request and returns the status of the answer, or `undefined` without an answer. */
async function statusOf(port: number, lines: readonly string[]): Promise<number | undefined> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.end([...lines, 'connection: close', '', ''].join('\r\n'), 'latin1');
  const answer = await text(socket).catch(() => '');
  return Number(/^HTTP\/1\.\d (\d{3})/.exec(answer)?.[1]) || undefined;
}

test.each([
  [200, ['host: 127.0.0.1:PORT']],
  [200, ['host: localhost:PORT']],
  [200, ['host: [::1]:PORT', 'origin: http://localhost:5173']],
  [403, ['host: 127.0.0.1:1']],
  [403, ['host: rebound.example:PORT']],
  [403, ['host: 127.0.0.1.example:PORT']],
  [403, ['host: 127.0.0.1:PORT', 'origin: https://page.example']],
  [403, ['host: 127.0.0.1:PORT', 'origin: null']],
])('the control API answers %d to the headers %j', async (status, headers) => {
  const control = await startControl(0, [controlRoute('POST', '/faults', z.object({}), async () => ({}))]);
  onTestFinished(() => void control.close());
  const lines = headers.map((line) => line.replace('PORT', String(portOf(control))));
  expect(await statusOf(portOf(control), ['POST /faults HTTP/1.1', 'content-length: 0', ...lines])).toBe(status);
});

/** Sends a request and resets the connection. Resolves when the connection has ended. */
async function sendAndReset(port: number, lines: readonly string[]): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write([...lines, '', ''].join('\r\n'), 'latin1', () => socket.resetAndDestroy());
  await once(socket, 'close');
}

// An exception in an event handler would end the process. Vitest reports it, so the run fails.
describe.each(Object.keys(SERVERS))('the server “%s”', (name) => {
  test('no odd request ends the server, makes it fail or makes it print an error', async () => {
    const printed = vi.spyOn(console, 'error');
    onTestFinished(() => printed.mockRestore());
    const { port, stop } = (await SERVERS[name]?.()) ?? { port: 0, stop: () => undefined };
    try {
      const failures: string[] = [];
      for (const [odd, lines] of Object.entries(ODD)) {
        await sendAndReset(port, lines);
        if (((await statusOf(port, lines)) ?? 400) >= 500) failures.push(odd);
      }
      expect(failures).toEqual([]);
      expect(printed.mock.calls).toEqual([]);
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      socket.destroy();
    } finally {
      await stop();
    }
  });
});
