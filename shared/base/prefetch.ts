/** Returns the promise, which may now reject before the caller awaits it: Node does not end the process. */
export function prefetch<T>(work: Promise<T>): Promise<T> {
  work.catch(ignore);
  return work;
}

function ignore(): void {}
