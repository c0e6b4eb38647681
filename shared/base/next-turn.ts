/** Resolves in the next turn of the event loop, after pending input has been read. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
