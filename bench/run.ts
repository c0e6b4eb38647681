/*
 * npm run bench [-- --seconds N] [-- --quick]: loads the service and the floor on the same emulators, interleaved in
 * one run, and prints a table of ratios beside the bars that are set for them.
 */
import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';
import { z } from 'zod';
import { startSeparateStack } from '../emulators/stack/separate.ts';
import { pathOf } from './child.ts';
import { call } from './http-client.ts';
import { type Measured, measure, type RepeatedRequest } from './measure.ts';
import { type BareTrips, bareTrips, type Row, showPeakMemory, showSingleConnection, showTable } from './report.ts';
import { environment, sparePort, startFloor, startService } from './servers.ts';
import { demoOf } from './tenant.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '3' }, quick: { type: 'boolean' } } });
const seconds = Number(values.seconds);

const SIZES = [
  { bytes: 1_024, connections: [1, 16, 64, 256] },
  { bytes: 65_536, connections: [1, 16, 32, 64] },
];
const WARM_SECONDS = 8;
const TIERS = ['wrapped', 'software'] as const;
const QUICK: readonly string[] = ['encrypt', 'encrypt (Transit)', 'decrypt'];

const stack = await startSeparateStack();
const { api_key: token } = await demoOf(stack);
const [service, floor] = await Promise.all([
  startService(environment(stack), sparePort(stack, 0)),
  startFloor(stack, sparePort(stack, 1)),
]);
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
        for (const [operation, request] of await prepare(tier, keyPath, plaintext)) {
          if (values.quick && !QUICK.includes(operation)) continue;
          await measure(service, request, token, count, 1);
          // The floor just before and just after: the machine's drift then affects both alike.
          const before = await measure(floor, floorRequest, token, count, seconds / 2);
          const measured = await measure(service, request, token, count, seconds);
          const after = await measure(floor, floorRequest, token, count, seconds / 2);
          rows.push({ operation, tier, bytes, connections: count, measured, floor: mean(before, after) });
          process.stdout.write('.');
        }
      }
    }
  }
  process.stdout.write(`\n${showTable(rows)}${showPeakMemory(rows)}\n${showSingleConnection(rows, bare)}`);
} finally {
  await Promise.allSettled([service.stop(), floor.stop()]);
  await stack.stop();
}

/** Loads service, floor and emulators until their code is compiled. */
async function warm(paths: readonly string[]): Promise<void> {
  const body = bodyOf({ plaintext: Buffer.alloc(1_024) });
  await measure(floor, { path: '', body }, token, 64, WARM_SECONDS);
  for (const path of paths) await measure(service, { path, body }, token, 64, WARM_SECONDS);
}

/** Runs bare-trips.ts in a process of its own. */
async function measureBareTrips(keys: readonly { tier: string; keyPath: string }[]): Promise<BareTrips> {
  const ofTier = (tier: string) =>
    keys
      .find((key) => key.tier === tier)
      ?.keyPath.split('/')
      .at(-1) ?? '';
  const env = environment(stack);
  const targets = {
    document: `keys/${ofTier('wrapped')}`,
    keyVersion: `${env.KMS_KEY_RING}/cryptoKeys/${ofTier('software')}/cryptoKeyVersions/1`,
  };
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [pathOf('bare-trips.ts'), JSON.stringify(targets)], { env });
  return bareTrips.parse(JSON.parse(stdout));
}

function nameOf(tier: string): string {
  return `bench-${tier}`;
}

async function createKey(tier: string): Promise<string> {
  const body = { name: nameOf(tier), tier };
  const { id } = await call(
    service.url,
    { method: 'POST', path: '/v1/keys', token, body },
    z.object({ id: z.string() }),
  );
  return `/v1/keys/${id}`;
}

/**
 * The requests of the five operations on a key, and of `encrypt` by its name through Transit. Beyond 1 KiB without `wrap`
 * and `unwrap`, which always carry a data key.
 */
async function prepare(tier: string, keyPath: string, plaintext: Buffer): Promise<[string, RepeatedRequest][]> {
  const encrypt = { path: `${keyPath}/encrypt`, body: bodyOf({ plaintext }) };
  const { ciphertext } = await post(encrypt, z.object({ ciphertext: z.string() }));
  const wrap = { path: `${keyPath}/wrap`, body: '{}' };
  const { wrapped } = await post(wrap, z.object({ wrapped: z.string() }));
  const opening = bodyText({ ciphertext });
  const all: [string, RepeatedRequest][] = [
    ['encrypt', encrypt],
    ['encrypt (Transit)', { ...encrypt, path: `/v1/transit/encrypt/${nameOf(tier)}` }],
    ['decrypt', { path: `${keyPath}/decrypt`, body: opening }],
    ['rewrap', { path: `${keyPath}/rewrap`, body: opening }],
    ['wrap', wrap],
    ['unwrap', { path: `${keyPath}/unwrap`, body: bodyText({ wrapped }) }],
  ];
  return plaintext.length > 1_024 ? all.slice(0, 4) : all;
}

function post<Body>({ path, body }: RepeatedRequest, schema: z.ZodType<Body>): Promise<Body> {
  return call(service.url, { method: 'POST', path, token, raw: body }, schema);
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
