/*
 * npm run bench [-- --seconds N] [-- --quick]: loads the service and the floor on the same emulators, interleaved in
 * one run, and prints a table of ratios.
 */
import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';
import { z } from 'zod';
import { startSeparateStack } from '../emulators/stack/separate.ts';
import { pathOf } from './child.ts';
import { demoOf } from './demo.ts';
import { type BareTrips, bareTrips, showLoneCallers } from './lone-callers.ts';
import { type Measured, measure, type Request } from './measure.ts';
import { environment, startFloor, startService } from './servers.ts';
import { type Row, showPeakMemory, showTable } from './table.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '3' }, quick: { type: 'boolean' } } });
const seconds = Number(values.seconds);

const SIZES = [
  { bytes: 1_024, connections: [1, 16, 64] },
  { bytes: 65_536, connections: [1, 16, 32, 64] },
];
const WARM_SECONDS = 8;
const TIERS = ['wrapped', 'software'] as const;

const stack = await startSeparateStack();
const base = Number(new URL(stack.baseUrl).port);
const { api_key: token } = await demoOf(stack);
const [service, floor] = await Promise.all([startService(environment(base), base + 10), startFloor(base, base + 11)]);
const rows: Row[] = [];
try {
  const requests = await Promise.all(TIERS.map(async (tier) => ({ tier, keyPath: await createKey(tier) })));
  await warm(requests.map(({ keyPath }) => `${keyPath}/encrypt`));
  const bare = await measureBareTrips(requests);
  for (const { bytes, connections } of SIZES) {
    for (const count of connections) {
      const plaintext = Buffer.alloc(bytes, 7);
      const floorRequest = { path: '', body: bodyOf({ plaintext }) };
      for (const { tier, keyPath } of requests) {
        for (const [operation, request] of await prepare(keyPath, plaintext)) {
          if (values.quick && operation !== 'encrypt' && operation !== 'decrypt') continue;
          await measure(service, request, token, count, 1);
          // The floor just before and just after: what drifts meanwhile weighs on both.
          const before = await measure(floor, floorRequest, token, count, seconds / 2);
          const measured = await measure(service, request, token, count, seconds);
          const after = await measure(floor, floorRequest, token, count, seconds / 2);
          rows.push({ operation, tier, bytes, connections: count, measured, floor: mean(before, after) });
          process.stdout.write('.');
        }
      }
    }
  }
  process.stdout.write(`\n${showTable(rows)}${showPeakMemory(rows)}\n${showLoneCallers(rows, bare)}`);
} finally {
  await Promise.allSettled([service.stop(), floor.stop()]);
  await stack.stop();
}

/** Compiles what the measured seconds would else spend compiling: in the service, the floor and the emulators. */
async function warm(paths: readonly string[]): Promise<void> {
  const body = bodyOf({ plaintext: Buffer.alloc(1_024) });
  await measure(floor, { path: '', body }, token, 64, WARM_SECONDS);
  for (const path of paths) await measure(service, { path, body }, token, 64, WARM_SECONDS);
}

/** What the trips of an operation cost bare, in milliseconds. */
async function measureBareTrips(keys: readonly { tier: string; keyPath: string }[]): Promise<BareTrips> {
  const ofTier = (tier: string) =>
    keys
      .find((key) => key.tier === tier)
      ?.keyPath.split('/')
      .at(-1) ?? '';
  const env = environment(base);
  const asked = {
    document: `keys/${ofTier('wrapped')}`,
    keyVersion: `${env.KMS_KEY_RING}/cryptoKeys/${ofTier('software')}/cryptoKeyVersions/1`,
  };
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [pathOf('bare-trips.ts'), JSON.stringify(asked)], { env });
  return bareTrips.parse(JSON.parse(stdout));
}

async function createKey(tier: string): Promise<string> {
  const { id } = z.object({ id: z.string() }).parse(await post('/v1/keys', bodyText({ name: `bench-${tier}`, tier })));
  return `/v1/keys/${id}`;
}

/** The five operations on a key, ready to be repeated; `wrap` and `unwrap` carry a data key, whatever the size. */
async function prepare(keyPath: string, plaintext: Buffer): Promise<[string, Request][]> {
  const encrypt = { path: `${keyPath}/encrypt`, body: bodyOf({ plaintext }) };
  const { ciphertext } = z.object({ ciphertext: z.string() }).parse(await post(encrypt.path, encrypt.body));
  const wrap = { path: `${keyPath}/wrap`, body: '{}' };
  const { wrapped } = z.object({ wrapped: z.string() }).parse(await post(wrap.path, wrap.body));
  const opening = bodyText({ ciphertext });
  const all: [string, Request][] = [
    ['encrypt', encrypt],
    ['decrypt', { path: `${keyPath}/decrypt`, body: opening }],
    ['rewrap', { path: `${keyPath}/rewrap`, body: opening }],
    ['wrap', wrap],
    ['unwrap', { path: `${keyPath}/unwrap`, body: bodyText({ wrapped }) }],
  ];
  return plaintext.length > 1_024 ? all.slice(0, 3) : all;
}

async function post(path: string, body: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${service.url}${path}`, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

function bodyOf({ plaintext }: { plaintext: Buffer }): string {
  return bodyText({ plaintext: plaintext.toString('base64') });
}

function bodyText(body: unknown): string {
  return JSON.stringify(body);
}

function mean(a: Measured, b: Measured): Measured {
  const of = (pick: (one: Measured) => number) => (pick(a) + pick(b)) / 2;
  return {
    ...b,
    perSecond: of((one) => one.perSecond),
    p50: of((one) => one.p50),
    p95: of((one) => one.p95),
    p99: of((one) => one.p99),
    cpuUsPerOp: of((one) => one.cpuUsPerOp),
  };
}
