/**
 * Thrown if the stack cannot start for a reason that the user can fix. Its message is printed without a stack trace.
 */
export class StartError extends Error {
  override name = 'StartError';
}
