/** What a hedge asks before it repeats an attempt, and which failure it throws when both have failed. */
export interface Repeating {
  readonly mayRepeat?: () => boolean;
  /** The failure that matters more than any other. */
  readonly isGravest?: (failure: unknown) => boolean;
}

/**
 * Makes an attempt, and another if the first has no answer when `late` comes. The first success counts. Fails once no attempt is
 * left that may succeed.
 */
export function hedge<T>(
  attempt: () => Promise<T>,
  late: Promise<void>,
  { mayRepeat = () => true, isGravest = () => false }: Repeating = {},
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const failures: unknown[] = [];
  let underWay = 0;
  const begin = async () => {
    underWay++;
    try {
      resolve(await attempt());
    } catch (failure) {
      failures.push(failure);
      if (underWay === 1) reject(failures.find(isGravest) ?? failures[0]);
    } finally {
      underWay--;
    }
  };
  void begin();
  void late.then(() => {
    if (underWay > 0 && mayRepeat()) void begin();
  });
  return promise;
}
