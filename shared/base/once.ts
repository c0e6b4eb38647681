import { prefetch } from './prefetch.ts';

/** Starts work at the first call; every call returns its one promise. */
export function once<T>(start: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined;
  return () => {
    started ??= prefetch(start());
    return started;
  };
}
