import type { NewApiKey } from '../../../client/src/index.ts';

let created: NewApiKey | undefined;
const listeners = new Set<() => void>();

/**
 * Returns the API key whose token is shown. The token is shown only once, so it must survive navigation and the end of
 * the session.
 */
export const newApiKey = (): NewApiKey | undefined => created;

/** Shows the token of a new API key. `undefined` hides it. */
export function showNewApiKey(one: NewApiKey | undefined): void {
  created = one;
  for (const listener of listeners) listener();
}

/** Calls `listener` when a token is shown or hidden. Returns a function that unsubscribes. */
export function onNewApiKey(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
