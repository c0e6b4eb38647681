/**
 * How much later than its deadline an answer may arrive: far more than the machine needs, and far less than any other
 * deadline.
 */
const MARGIN_MS = 6_000;

/** Returns the answer if it arrives within its deadline in milliseconds. Throws an `Error` otherwise. */
export async function within<Answer>(deadlineMs: number, answer: Promise<Answer>): Promise<Answer> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`no answer within ${deadlineMs} ms and a margin`)),
    deadlineMs + MARGIN_MS,
  );
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
