/*
 * node warm.ts FUNCTION: what the platform's build runs in a function's directory, to write its code cache.
 *
 * It is the function for a moment: started as on the platform and asked a few things, so that what a start and first
 * requests need has been compiled. Nothing real is reached: Firestore, the KMS and the decision point are stood for by a
 * server that refuses every call.
 */
import { once } from 'node:events';
import { createServer, type Http2Server } from 'node:http2';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';

const HERE = import.meta.dirname;
const require = createRequire(import.meta.url);
const FRAMEWORK = join(dirname(require.resolve('@google-cloud/functions-framework')), 'main.js');
/** The gRPC status UNIMPLEMENTED, after which no client tries again. */
const REFUSAL = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '12' };
const KEY_RING = 'projects/build/locations/build/keyRings/build';
/** Well-formed, and nobody's. */
const API_KEY = `esk_${'a'.repeat(26)}_${'A'.repeat(43)}`;
const REQUESTS = [
  { method: 'GET', path: '/health/ready' },
  { method: 'GET', path: '/v1/openapi.json' },
  { method: 'GET', path: '/v1/keys' },
  { method: 'POST', path: '/v1/keys/00000000-0000-4000-8000-000000000000/encrypt' },
];

// V8 soon forgets what runs once, which is what a start needs. A cache is good for the flags it was written with.
setFlagsFromString('--no-flush-bytecode');
const refusing = createServer().on('stream', (stream) => stream.respond(REFUSAL, { endStream: true }));
const refusingAt = `127.0.0.1:${await listen(refusing)}`;
const probe = createServer();
const port = await listen(probe);
probe.close();
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
  `--port=${port}`,
  `--source=${HERE}`,
);
await import(FRAMEWORK);
while (!(await isUp())) await pause(20);
// The Firestore client asks again for some seconds; its first call is all that is wanted.
for (const { method, path } of REQUESTS) await Promise.race([ask(method, path), pause(1_000)]);
setFlagsFromString('--flush-bytecode');
require('./index.cjs').writeCodeCache();
process.exit(0);

function isUp(): Promise<boolean> {
  return ask('GET', '/health').then(
    () => true,
    () => false,
  );
}

async function ask(method: string, path: string): Promise<void> {
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };
  const body = method === 'POST' ? JSON.stringify({ plaintext: '' }) : null;
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body });
  await answer.arrayBuffer();
}

async function listen(server: Http2Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a server has no port');
  return address.port;
}
