import type { ComponentChild } from 'preact';

let shown: ComponentChild;
const listeners = new Set<() => void>();

/**
 * Returns the dialog with a new secret, such as the token of a new API key, or `undefined`. The secret can be shown only
 * once, so navigation and the end of the session must not hide it.
 */
export const shownOnce = (): ComponentChild => shown;

/** Shows a dialog with a new secret, or hides it if `dialog` is `undefined`. */
export function showOnce(dialog: ComponentChild): void {
  shown = dialog;
  for (const listener of listeners) listener();
}

/** Calls `listener` when a dialog is shown or hidden. Returns a function that unsubscribes. */
export function onShownOnce(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
