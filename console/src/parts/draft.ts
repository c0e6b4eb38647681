import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Fields } from '../session/drafts.ts';

/** What was typed into the form around a field before the person was signed in again. */
export const Draft = createContext<Fields | undefined>(undefined);

/** What a field holds at first: what was typed into it before, else the values given. */
export function useFirst(name: string, values: readonly string[]): readonly string[] {
  const draft = useContext(Draft);
  return draft === undefined ? values : (draft[name] ?? []);
}
