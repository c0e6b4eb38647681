import { type Child, type ChildOptions, startChild } from './child-process.ts';
import { waitUntilReady } from './readiness.ts';

interface ChildServerOptions extends ChildOptions {
  /** A URL that answers a GET with a 2xx status once the server is ready. */
  readonly readyUrl: string;
}

/** Starts a server and waits until it is ready. Throws {@link StartError} if it does not become ready. */
export async function startChildServer(options: ChildServerOptions): Promise<Child> {
  const child = startChild(options);
  try {
    await waitUntilReady(child, options.readyUrl);
    return child;
  } catch (error) {
    await child.stop(0);
    throw error;
  }
}
