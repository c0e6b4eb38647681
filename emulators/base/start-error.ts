/** Why the stack did not start. The message is for the person who started it, and is printed without a stack trace. */
export class StartError extends Error {
  override name = 'StartError';
}
