import type { NewApiKey } from '../../../client/src/index.ts';

let created: NewApiKey | undefined;
const listeners = new Set<() => void>();

/**
 * Returns the new API key whose token is on the screen. The token can be shown only once, so navigation and the end of
 * the session must not hide it.
 */
export const newApiKey = (): NewApiKey | undefined => created;

/** Shows the token of a new API key, or hides it if `one` is `undefined`. */
export function showNewApiKey(one: NewApiKey | undefined): void {
  created = one;
  for (const listener of listeners) listener();
}

/** Calls `listener` when a token is shown or hidden. Returns a function that unsubscribes. */
export function onNewApiKey(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
