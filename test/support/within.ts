/** What an answer may take beyond the deadline that it waits for: far more than the machine needs, far less than another deadline. */
const MARGIN_MS = 6_000;

/** The answer, when it comes by its deadline in milliseconds. Throws an `Error` when it does not. */
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
