/*
 * node warm.ts FUNCTION: writes the code cache of a function. The platform's build runs it in the function's directory.
 *
 * Starts the function as the platform does and sends it a few requests, so that the code of a start and of first
 * requests is compiled. One server, which refuses every call, takes the place of Firestore, the KMS and the decision
 * point.
 */
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type Http2Server } from 'node:http2';
import { createRequire } from 'node:module';
import { Server } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';

const HERE = import.meta.dirname;
const require = createRequire(import.meta.url);
const FRAMEWORK = join(dirname(require.resolve('@google-cloud/functions-framework')), 'main.js');
/** An answer with the gRPC status UNIMPLEMENTED, which clients do not retry. */
const REFUSAL = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '12' };
const KEY_RING = 'projects/build/locations/build/keyRings/build';
/** Well-formed, but of no API key. */
const API_KEY = `esk_${'a'.repeat(26)}_${'A'.repeat(43)}`;
const REQUESTS = [
  { method: 'GET', path: '/health/ready' },
  { method: 'GET', path: '/v1/openapi.json' },
  { method: 'GET', path: '/v1/keys' },
  { method: 'POST', path: '/v1/keys/00000000-0000-4000-8000-000000000000/encrypt' },
];

// V8 discards bytecode that is not used again, as that of a start. It checks flags when it reads a cache, so they are
// reset below.
setFlagsFromString('--no-flush-bytecode');
const refusing = createServer().on('stream', (stream) => stream.respond(REFUSAL, { endStream: true }));
const refusingAt = `127.0.0.1:${await listen(refusing)}`;
/** The port that the function takes, which nobody else can have taken: it is given 0. */
const listening = Promise.withResolvers<number>();
subscribe('tracing:net.server.listen:asyncEnd', (message) => {
  if (!(message instanceof Object && 'server' in message && message.server instanceof Server)) return;
  listening.resolve(portOf(message.server));
});
Object.assign(process.env, {
  HOST: '127.0.0.1',
  METADATA_SERVER_DETECTION: 'none',
  GOOGLE_CLOUD_PROJECT: 'build',
  KMS_KEY_RING: KEY_RING,
  WRAPPED_ROOT: `${KEY_RING}/cryptoKeys/build`,
  POLICY_DECISION_URL: `http://${refusingAt}`,
  FIRESTORE_EMULATOR_HOST: refusingAt,
  KMS_EMULATOR_HOST: refusingAt,
});
process.argv.splice(
  1,
  Number.POSITIVE_INFINITY,
  FRAMEWORK,
  `--target=${process.argv[2]}`,
  '--port=0',
  `--source=${HERE}`,
);
await import(FRAMEWORK);
const port = await listening.promise;
await ask('GET', '/health');
// Only the first call of the Firestore client is wanted, which retries for some seconds.
for (const { method, path } of REQUESTS) await Promise.race([ask(method, path), pause(1_000)]);
setFlagsFromString('--flush-bytecode');
require('./index.cjs').writeCodeCache();
process.exit(0);

async function ask(method: string, path: string): Promise<void> {
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };
  const body = method === 'POST' ? JSON.stringify({ plaintext: '' }) : null;
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body });
  await answer.arrayBuffer();
}

async function listen(server: Http2Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return portOf(server);
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server is not listening on a TCP port');
  return address.port;
}
