/** Returns the promise. If it rejects before the caller awaits it, Node does not treat this as unhandled. */
export function prefetch<T>(work: Promise<T>): Promise<T> {
  work.catch(ignore);
  return work;
}

function ignore(): void {}
