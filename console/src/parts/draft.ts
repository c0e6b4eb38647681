import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Fields } from '../session/drafts.ts';

/** The input that the surrounding form contained before the person had to sign in again. */
export const Draft = createContext<Fields | undefined>(undefined);

/** Returns a field's initial values: the values from the draft if there is a draft, else `values`. */
export function useFirst(name: string, values: readonly string[]): readonly string[] {
  const draft = useContext(Draft);
  return draft === undefined ? values : (draft[name] ?? []);
}
