/** Why the stack did not start, in words for the person who started it: printed as it is, without a stack trace. */
export class StartError extends Error {
  override name = 'StartError';
}
