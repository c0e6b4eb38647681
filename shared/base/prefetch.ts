/** Starts work that may never be awaited, without an unhandled rejection when it fails. */
export function prefetch<T>(work: Promise<T>): Promise<T> {
  work.catch(ignore);
  return work;
}

function ignore(): void {}
