/** No answer within the time allowed. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/** What `promise` gives, or a {@link DeadlineExceeded} after `limitMs` milliseconds; the work itself goes on. */
export async function withDeadline<T>(what: string, limitMs: number, promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new DeadlineExceeded(`${what}: no answer in ${limitMs} ms`)), limitMs);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
