interface Repeating {
  readonly mayRepeat?: () => boolean;
  /** If both attempts fail, whether to throw this failure and not the other one. */
  readonly isGravest?: (failure: unknown) => boolean;
}

/** Makes an attempt, and a second one if the first takes longer than `afterMs`. Returns the first success. */
export function hedge<T>(
  attempt: () => Promise<T>,
  afterMs: number,
  { mayRepeat = () => true, isGravest = () => false }: Repeating = {},
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const failures: unknown[] = [];
  let running = 0;
  const begin = async () => {
    running++;
    try {
      resolve(await attempt());
      clearTimeout(late);
    } catch (failure) {
      failures.push(failure);
      if (running === 1) reject(failures.find(isGravest) ?? failures[0]);
    } finally {
      running--;
    }
  };
  const late = setTimeout(() => running > 0 && mayRepeat() && begin(), afterMs).unref();
  void begin();
  return promise;
}
