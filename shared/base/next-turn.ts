/** Resolves in the next turn of the event loop: what has arrived meanwhile comes first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
