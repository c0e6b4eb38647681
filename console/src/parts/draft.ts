import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Fields } from '../session/drafts.ts';

/** The input of the surrounding form from before the person had to sign in again. */
export const Draft = createContext<Fields | undefined>(undefined);

/** Returns a field's initial values: those from the draft if there is one, else `values`. */
export function useFirst(name: string, values: readonly string[]): readonly string[] {
  const draft = useContext(Draft);
  return draft === undefined ? values : (draft[name] ?? []);
}
