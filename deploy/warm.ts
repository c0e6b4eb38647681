/*
 * node warm.ts FUNCTION, with NODE_COMPILE_CACHE set: what the platform's build runs in a function's directory.
 *
 * It starts the function as the platform does, sends it requests and ends it, upon which Node writes what it compiled;
 * then it imports what was not needed so far. Nothing real is reached: Firestore, the KMS and the decision point are
 * stood for by a server that refuses every call.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { createServer } from 'node:http2';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const ATTEMPTS = 600;
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

const refusing = createServer().on('stream', (stream) => stream.respond(REFUSAL, { endStream: true }));
const refusingAt = `127.0.0.1:${await listen(refusing)}`;
const probe = createServer();
const port = await listen(probe);
probe.close();

const framework = createRequire(import.meta.url).resolve('@google-cloud/functions-framework');
const main = join(dirname(framework), 'main.js');
const service = spawn(process.execPath, [main, `--target=${process.argv[2]}`, `--port=${port}`], {
  cwd: import.meta.dirname,
  stdio: ['ignore', 'ignore', 'inherit'],
  env: {
    ...process.env,
    HOST: '127.0.0.1',
    METADATA_SERVER_DETECTION: 'none',
    GOOGLE_CLOUD_PROJECT: 'build',
    KMS_KEY_RING: KEY_RING,
    WRAPPED_ROOT: `${KEY_RING}/cryptoKeys/build`,
    POLICY_DECISION_URL: `http://${refusingAt}`,
    FIRESTORE_EMULATOR_HOST: refusingAt,
    KMS_EMULATOR_HOST: refusingAt,
  },
});
const ended = once(service, 'exit');
await untilUp();
for (const { method, path } of REQUESTS) await ask(method, path);
service.kill('SIGTERM');
const [status] = await ended;
refusing.close();
if (status !== 0) throw new Error(`the function ended with ${status}`);
for (const file of globSync('*-*.mjs', { cwd: import.meta.dirname })) await import(join(import.meta.dirname, file));

async function untilUp(): Promise<void> {
  for (let left = ATTEMPTS; left > 0 && service.exitCode === null; left--) {
    if (
      await ask('GET', '/health').then(
        () => true,
        () => false,
      )
    )
      return;
    await pause(50);
  }
  throw new Error('the function did not start');
}

async function ask(method: string, path: string): Promise<void> {
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };
  const body = method === 'POST' ? JSON.stringify({ plaintext: '' }) : null;
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body });
  await answer.arrayBuffer();
}

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a server has no port');
  return address.port;
}
