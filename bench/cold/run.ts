/*
 * npm run bench -- cold [--runs N] [--only NAME,NAME]: measures the time from the start of a function's process to its
 * first answer. Each function is started in three ways: from source, from its bundle, and from its bundle with a code
 * cache. The baseline is a function that only makes a Firestore client. Each run measures all three ways. Prints medians
 * and ratios. Fails if a ratio exceeds its limit.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { bundle } from '../../deploy/bundle.ts';
import { PRELOAD } from '../../deploy/names.ts';
import { startSeparateStack } from '../../emulators/stack/separate.ts';
import { environment, frameworkOf, pathOf, sparePort } from '../servers.ts';
import { alignColumns, median } from '../table.ts';
import { demoOf } from '../tenant.ts';

/** A request, and the expected status of its answer. */
interface Probe {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly token?: string;
  readonly body?: string;
  readonly status: number;
}

interface Start {
  readonly target: string;
  readonly source: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Returns the milliseconds from the start of the process to the answer. Throws if the status is unexpected. */
async function coldStart({ target, source, env }: Start, probe: Probe, port: number): Promise<number> {
  const startedAt = performance.now();
  const preload = join(source, PRELOAD);
  const flags = existsSync(preload) ? [`--require=${preload}`] : [];
  const args = [...flags, frameworkOf(pathOf('..')), `--source=${source}`, `--target=${target}`, `--port=${port}`];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const exited = once(child, 'exit');
  try {
    let status: number | undefined;
    while (status === undefined && child.exitCode === null) {
      status = await answerTo(probe, port);
      if (status === undefined) await pause(1);
    }
    const took = performance.now() - startedAt;
    if (status !== probe.status) throw new Error(`${target} answered ${status} to ${probe.method} ${probe.path}`);
    return took;
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
}

/** Returns the status of the answer, or `undefined` while nothing listens. */
function answerTo({ method, path, token, body }: Probe, port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, method, path, agent: false }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode));
    });
    outgoing.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') resolve(undefined);
      else reject(error);
    });
    if (token !== undefined) outgoing.setHeader('authorization', `Bearer ${token}`);
    if (body !== undefined) outgoing.setHeader('content-type', 'application/json');
    outgoing.end(body);
  });
}

interface Case {
  readonly name: string;
  /** The name that the table shows for the first request. */
  readonly request: string;
  readonly probe: Probe;
}

const KEY = '/v1/keys/00000000-0000-4000-8000-000000000000';

/**
 * Returns the first request to send to each function. Most functions refuse this request with an error. `bare`, `health`
 * and the scheduled functions answer 200. `crypto` has a second case, which encrypts.
 */
function makeCases(token: string, keyId: string): Case[] {
  const refused = (name: string, method: Probe['method'], path: string, status = 401): Case => {
    return { name, request: String(status), probe: { method, path, status } };
  };
  const answered = (name: string, method: Probe['method'], path: string): Case => {
    return { name, request: `${method} ${path}`, probe: { method, path, status: 200 } };
  };
  const body = JSON.stringify({ plaintext: Buffer.alloc(1_024).toString('base64') });
  const encrypt = { method: 'POST', path: `/v1/keys/${keyId}/encrypt`, token, body, status: 200 } as const;
  return [
    answered('bare', 'GET', '/'),
    refused('router', 'GET', '/', 404),
    refused('crypto', 'POST', `${KEY}/encrypt`),
    refused('keys', 'GET', '/v1/keys'),
    refused('reports', 'GET', '/v1/usage'),
    refused('console', 'GET', '/v1/me'),
    refused('billing', 'GET', '/v1/billing'),
    refused('transit', 'POST', '/v1/transit/encrypt/name', 403),
    answered('health', 'GET', '/health'),
    answered('destroy-due-keys', 'POST', '/'),
    answered('close-month', 'POST', '/'),
    answered('seal-audit', 'POST', '/'),
    { name: 'crypto', request: 'encrypt', probe: encrypt },
  ];
}

/** The times of one function's cold starts, in milliseconds. */
interface ColdTimes {
  readonly name: string;
  readonly request: string;
  readonly source: number[];
  readonly bundled: number[];
  /** The times from the bundle with a code cache. */
  readonly cached: number[];
}

/** The maximum time to start with the code cache, as a share of the time to start from source. */
const MAX_OF_SOURCE = 0.6;
/**
 * The maximum time to start with the code cache, for functions that a request must wait for. It is a multiple of the
 * bare function's time.
 */
const MAX_TIMES_BARE = 1.5;
const COMPARED_WITH_BARE = new Set(['router', 'crypto']);

const HEAD = ['function', 'first answer', 'source', 'bundled', 'cached', 'bundled/source', 'cached/source', '× bare'];

/**
 * Returns a table of medians. The last column compares each function with the bare function, both with a code cache.
 */
function showColdTable(rows: readonly ColdTimes[]): string {
  const bare = rows.find(({ name }) => name === 'bare');
  const lines = rows.map(({ name, request, ...times }) => {
    const [source, bundled, cached] = [times.source, times.bundled, times.cached].map(median);
    const ratios = [ratio(bundled, source), ratio(cached, source), bare ? ratio(cached, median(bare.cached)) : ''];
    return [name, request, ...[source, bundled, cached].map((ms = 0) => ms.toFixed(0)), ...ratios];
  });
  return alignColumns([HEAD, ...lines]);
}

/**
 * Returns a line for each exceeded limit. The case with `encrypt` has no limit, because opening connections takes most
 * of its time.
 */
function exceededLimits(rows: readonly ColdTimes[]): string[] {
  const bare = median(rows.find(({ name }) => name === 'bare')?.cached ?? []);
  return rows
    .filter(({ name, request }) => name !== 'bare' && request !== 'encrypt')
    .flatMap(({ name, source, cached }) => {
      const [ofSource, timesBare] = [median(cached) / median(source), median(cached) / bare];
      return [
        ...(ofSource > MAX_OF_SOURCE ? [`${name} takes ${ofSource.toFixed(2)} times as long as from source`] : []),
        ...(COMPARED_WITH_BARE.has(name) && timesBare > MAX_TIMES_BARE
          ? [`${name} takes ${timesBare.toFixed(2)} times as long as the bare function`]
          : []),
      ];
    });
}

function ratio(one = Number.NaN, other = Number.NaN): string {
  return (one / other).toFixed(2);
}

const { values } = parseArgs({ options: { runs: { type: 'string', default: '5' }, only: { type: 'string' } } });
const only = values.only?.split(',');

const DIST = pathOf('../dist');
const BENCH_DIST = join(DIST, 'bench');
const BARE = pathOf('cold/bare.ts');

await bundle('bare', BARE, BENCH_DIST);
const stack = await startSeparateStack();
try {
  const demo = await demoOf(stack);
  const cases = makeCases(demo.api_key, demo.key_id).filter(
    ({ name }) => name === 'bare' || only === undefined || only.includes(name),
  );
  const names = new Set(cases.map(({ name }) => name));
  for (const name of names) writeCodeCache(name);
  const env = { ...environment(stack), NODE_ENV: 'production' };
  const rows = cases.map(({ name, request, probe }) => {
    const times: ColdTimes = { name, request, source: [], bundled: [], cached: [] };
    return { probe, times };
  });
  for (let run = 0; run < Number(values.runs); run++) {
    for (const { probe, times } of rows) {
      const { name } = times;
      const start = (source: string) => coldStart({ target: name, source, env }, probe, sparePort(stack, 0));
      times.source.push(await start(sourceOf(name)));
      times.bundled.push(await start(uncachedOf(name)));
      times.cached.push(await start(folderOf(name)));
      process.stdout.write('.');
    }
  }
  const measured = rows.map(({ times }) => times);
  process.stdout.write(`\n${showColdTable(measured)}`);
  const exceeded = exceededLimits(measured);
  if (exceeded.length > 0) throw new Error(exceeded.join('; '));
} finally {
  await stack.stop();
}

function sourceOf(name: string): string {
  return name === 'bare' ? BARE : pathOf(`../functions/entry/${name}.ts`);
}

function folderOf(name: string): string {
  return join(name === 'bare' ? BENCH_DIST : DIST, name);
}

function uncachedOf(name: string): string {
  return join(BENCH_DIST, 'uncached', name);
}

/** Writes the code cache as the platform's build does, and keeps a copy of the function without the cache. */
function writeCodeCache(name: string): void {
  rmSync(join(folderOf(name), 'code-cache'), { force: true });
  cpSync(folderOf(name), uncachedOf(name), { recursive: true });
  execFileSync(process.execPath, [join(folderOf(name), 'warm.ts'), name], { stdio: 'ignore' });
}
