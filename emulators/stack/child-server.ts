import { type Child, type ChildOptions, startChild } from './child-process.ts';
import { waitUntilReady } from './readiness.ts';

/** Starts a server as a process of its own, and waits until it answers. Throws {@link StartError} when it does not. */
export async function startChildServer(options: ChildOptions & { readyUrl: string }): Promise<Child> {
  const child = startChild(options);
  try {
    await waitUntilReady(child, options.readyUrl);
    return child;
  } catch (error) {
    await child.stop(0);
    throw error;
  }
}
