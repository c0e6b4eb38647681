import { prefetch } from './prefetch.ts';

/** Starts the work at the first call. Every call returns the same promise. */
export function once<T>(start: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined;
  return () => {
    started ??= prefetch(start());
    return started;
  };
}
