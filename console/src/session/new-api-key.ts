import type { NewApiKey } from '../../../client/src/index.ts';

let created: NewApiKey | undefined;
const listeners = new Set<() => void>();

/** The API key whose token is shown, once: it is here, and not on a page, so that it outlives the page and the session. */
export const newApiKey = (): NewApiKey | undefined => created;

/** Shows the token of a new API key; without one it is put away. */
export function showNewApiKey(one: NewApiKey | undefined): void {
  created = one;
  for (const listener of listeners) listener();
}

/** Calls back when a token must be shown or was put away. Returns a function that ends this. */
export function onNewApiKey(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
