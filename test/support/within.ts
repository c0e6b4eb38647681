/**
 * The time after its deadline by which an answer must arrive: far longer than a slow machine needs, and far shorter
 * than any other deadline.
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
