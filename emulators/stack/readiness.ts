import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from './child-process.ts';
import { StartError } from './start-error.ts';

const pollMs = 25;

/** True when the address answers a GET with a 2xx status. */
export async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/** Waits until the address answers. Throws {@link StartError} when the process ends first, or after the deadline. */
export async function waitUntilReady(
  child: Pick<Child, 'name' | 'ended' | 'tail'>,
  url: string,
  deadlineMs = 60_000,
): Promise<void> {
  let end: string | undefined;
  child.ended.then((how) => {
    end = how;
  });
  const deadline = performance.now() + deadlineMs;
  while (!(await answers(url))) {
    if (end !== undefined) throw new StartError(`${child.name} ended while starting (${end})\n${child.tail()}`);
    if (performance.now() > deadline) throw new StartError(`${child.name} is not ready: ${url}\n${child.tail()}`);
    await sleep(pollMs);
  }
}
