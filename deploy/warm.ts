/*
 * Writes the code cache of a function: node warm.ts FUNCTION. The platform's build runs this program in the function's
 * directory.
 *
 * Starts the function as the platform does and sends it a few requests, so that V8 compiles the code for such requests.
 * One local server replaces Firestore, the KMS and the policy decision point. It refuses every call.
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
/** The gRPC status UNIMPLEMENTED, which clients do not retry. */
const REFUSAL = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '12' };
const KEY_RING = 'projects/build/locations/build/keyRings/build';
/** A token with a valid format that belongs to no API key. */
const API_KEY = `esk_${'a'.repeat(26)}_${'A'.repeat(43)}`;
const REQUESTS = [
  { method: 'GET', path: '/health/ready' },
  { method: 'GET', path: '/v1/openapi.json' },
  { method: 'GET', path: '/v1/keys' },
  { method: 'POST', path: '/v1/keys/00000000-0000-4000-8000-000000000000/encrypt' },
];

// By default, V8 discards bytecode that is not used again, such as startup code. The flag is reset before the cache is
// written, because V8 rejects a cache that was made with other flags.
setFlagsFromString('--no-flush-bytecode');
const refusing = createServer().on('stream', (stream) => stream.respond(REFUSAL, { endStream: true }));
const refusingAt = `127.0.0.1:${await listen(refusing)}`;
/** The port on which the function listens. With `--port=0`, the system chooses a free port. */
const listening = Promise.withResolvers<number>();
subscribe('tracing:net.server.listen:asyncEnd', (message) => {
  if (!(message instanceof Object && 'server' in message && message.server instanceof Server)) return;
  listening.resolve(portOf(message.server));
});
Object.assign(process.env, {
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
// The cache needs only the code of the Firestore client's first call, so do not wait for its retries of several
// seconds.
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
