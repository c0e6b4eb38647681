import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from './child-process.ts';
import { StartError } from './start-error.ts';

const POLL_MS = 25;
const DEADLINE_MS = 60_000;

/** Returns whether the address answers a GET with a 2xx status. */
export async function answers(url: string): Promise<boolean> {
  const status = await statusOf(url);
  return status !== undefined && status >= 200 && status < 300;
}

/** Returns whether the address answers a GET, with any status. */
export async function listens(url: string): Promise<boolean> {
  return (await statusOf(url)) !== undefined;
}

async function statusOf(url: string): Promise<number | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return response.status;
  } catch {
    return undefined;
  }
}

/**
 * Polls the address until `isReady` returns true. Throws {@link StartError} if the process ends, or if a minute has
 * passed.
 */
export async function waitUntilReady(
  child: Pick<Child, 'name' | 'ended' | 'tail'>,
  url: string,
  isReady = answers,
): Promise<void> {
  let end: string | undefined;
  child.ended.then((how) => {
    end = how;
  });
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await isReady(url))) {
    if (end !== undefined) throw new StartError(`${child.name} stopped while starting (${end})\n${child.tail()}`);
    if (performance.now() > deadline)
      throw new StartError(`${child.name} did not become ready at ${url}\n${child.tail()}`);
    await sleep(POLL_MS);
  }
}
