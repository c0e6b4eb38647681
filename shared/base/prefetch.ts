/**
 * Starts work whose outcome is looked at later, or never when an earlier check refuses: a failure in between is not
 * reported as unhandled, and is thrown to whoever awaits.
 */
export function prefetch<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}
