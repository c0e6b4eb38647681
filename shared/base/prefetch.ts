export function prefetch<T>(work: Promise<T>): Promise<T> {
  work.catch(ignore);
  return work;
}

function ignore(): void {}
