import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { everyRoute } from '../../functions/routes.ts';
import { type Configured, refusalsWith } from '../../shared/http/feature.ts';
import type { Addresses } from './client.ts';
import { SEEN_DIR, type Seen } from './seen.ts';
import { DEPLOYED, startTestStack } from './stacks.ts';

declare module 'vitest' {
  interface ProvidedContext {
    stack: Addresses;
  }
}

/**
 * Starts one stack for all contract tests. The tests make their own tenants, do not change the clock, and set no
 * faults. At the end, the run fails if a test received an answer that the OpenAPI document does not list. The variable
 * `KEEP_ANSWERS` can name a folder in which the recorded answers stay.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { KEEP_ANSWERS: kept } = process.env;
  if (kept !== undefined) await mkdir(kept, { recursive: true });
  const dir = await mkdtemp(join(kept ?? tmpdir(), 'answers-'));
  process.env[SEEN_DIR] = dir;
  const { baseUrl, controlUrl, stop } = await startTestStack();
  project.provide('stack', { baseUrl, controlUrl });
  return async () => {
    await stop();
    const faults = faultsIn(await readSeen(dir));
    if (kept === undefined) await rm(dir, { recursive: true });
    if (faults.length > 0) throw new Error(`answers that the OpenAPI document does not list:\n${faults.join('\n')}`);
  };
}

async function readSeen(dir: string): Promise<Seen[]> {
  const files = await Promise.all((await readdir(dir)).map((name) => readFile(join(dir, name), 'utf8')));
  return files.flatMap((text) => text.split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line))));
}

type Answer = Extract<Seen, { kind: 'answer' }>;

/**
 * Returns the recorded answers that the OpenAPI document does not list for their operation, as lines. Skips requests
 * that match no operation.
 */
function faultsIn(seen: readonly Seen[]): string[] {
  const services = new Map(
    seen.filter((line) => line.kind === 'service').map((line) => [line.origin, line.configured]),
  );
  const faults = seen
    .filter((line) => line.kind === 'answer')
    .filter((answer) => isFaulty(answer, services.get(answer.origin)))
    .map(({ method, path, status, code }) => `${method} ${path}: ${status} ${code ?? ''}`);
  return [...new Set(faults)].sort();
}

/** Returns whether the document of a service with these flags lacks the answer. Other servers have no flags. */
function isFaulty({ method, path, status, code }: Answer, flags?: 'unknown' | readonly string[]): boolean {
  // A route that the service’s configuration leaves out answers `not_found`. The gateway’s errors have no error code.
  const isOfGateway = DEPLOYED && code === null && status >= 400;
  if (flags === undefined || isOfGateway || (flags === 'unknown' && code === 'not_found')) return false;
  const configured = configOf(flags === 'unknown' ? [] : flags);
  const asked = method === 'HEAD' ? 'GET' : method;
  const operation = everyRoute(configured).find((one) => one.method === asked && one.path === path);
  if (operation === undefined) return false;
  const codes: readonly string[] = refusalsWith(operation.refuses, configured);
  return code === null ? method !== 'HEAD' && !operation.statuses.includes(status) : !codes.includes(code);
}

function configOf(flags: readonly string[]): Configured {
  const identity = flags.includes('--no-console') ? undefined : true;
  const billing = flags.includes('--no-billing') ? undefined : identity;
  return { identity, billing, transit: !flags.includes('--no-transit'), sealing: true };
}
