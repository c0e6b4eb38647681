import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import type { Addresses } from './client.ts';
import { SEEN_DIR, type Seen } from './seen.ts';
import { faultsIn } from './seen-faults.ts';
import { startTestStack } from './stacks.ts';

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
