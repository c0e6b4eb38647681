export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/** Returns the promise's result, or throws {@link DeadlineExceeded} after `limitMs`. Does not cancel the work. */
export async function withDeadline<T>(what: string, limitMs: number, promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new DeadlineExceeded(`${what}: no answer within ${limitMs} ms`)), limitMs);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
