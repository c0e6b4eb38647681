import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { everyRoute } from '../../functions/routes.ts';
import { type Configured, refusalsWith } from '../../shared/http/feature.ts';
import type { Description } from '../../shared/http/route.ts';
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
  return files.flatMap((text) =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line)),
  );
}

type Answer = Extract<Seen, { kind: 'answer' }>;

const ALL: Configured = { identity: true, billing: true, transit: true, sealing: true };

/**
 * Returns the recorded answers that the OpenAPI document does not list for their operation, as lines. Skips requests
 * that match no operation.
 */
export function faultsIn(seen: readonly Seen[]): string[] {
  const services = new Map(
    seen.filter((line) => line.kind === 'service').map((line) => [line.origin, line.configured]),
  );
  const faults = seen
    .filter((line) => line.kind === 'answer')
    .filter((answer) => {
      const configured = services.get(answer.origin);
      if (configured === undefined) return false;
      return configured === 'unknown'
        ? isFaulty(answer, ALL) && !isNoRoute(answer)
        : isFaulty(answer, configOf(configured));
    })
    .map(({ method, path, status, code }) => `${method} ${path}: ${status} ${code ?? ''}`);
  return [...new Set(faults)].sort();
}

function configOf(flags: readonly string[]): Configured {
  const identity = flags.includes('--no-console') ? undefined : true;
  const billing = flags.includes('--no-billing') ? undefined : identity;
  return { identity, billing, transit: !flags.includes('--no-transit'), sealing: true };
}

function isFaulty(answer: Answer, configured: Configured): boolean {
  const operation = operationOf(answer, configured);
  if (operation === undefined || isOfGateway(answer)) return false;
  const { status, code, method } = answer;
  const codes: readonly string[] = refusalsWith(operation.refuses, configured);
  if (code !== null) return !codes.includes(code);
  return method !== 'HEAD' && !operation.statuses.includes(status);
}

function operationOf({ method, path }: Answer, configured: Configured): Description | undefined {
  const asked = method === 'HEAD' ? 'GET' : method;
  return everyRoute(configured).find((description) => description.method === asked && description.path === path);
}

/**
 * Returns whether the answer is `not_found`, as it is for a route that the service’s configuration leaves out.
 */
function isNoRoute({ code }: Answer): boolean {
  return code === 'not_found';
}

/** Returns whether the gateway refused the request. The gateway’s errors have no error code. */
function isOfGateway({ code, status }: Answer): boolean {
  return DEPLOYED && code === null && status >= 400;
}
