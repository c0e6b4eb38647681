import { keepForReturn, takeKept } from './kept.ts';

const KEPT = 'drafts';

/** The values of a form's fields, by field name. */
export type Fields = Readonly<Record<string, readonly string[]>>;

/**
 * Functions that return the unsent input of a form, by the form's name. Drafts may be stored, because no form has a
 * field for a secret.
 */
const drafts = new Map<string, () => Fields>();
for (const [form, fields] of Object.entries<Fields>(JSON.parse(takeKept(KEPT) ?? '{}'))) drafts.set(form, () => fields);

/** Notes that a form has unsent input. The input itself is read only when it is needed. */
export function noteDraft(form: string, element: HTMLFormElement): void {
  drafts.set(form, () => {
    const data = new FormData(element);
    return Object.fromEntries([...new Set(data.keys())].map((name) => [name, data.getAll(name).map(String)]));
  });
}

export function dropDraft(form: string): void {
  drafts.delete(form);
}

export const hasDraft = (form: string): boolean => drafts.has(form);

export const readDraft = (form: string): Fields | undefined => drafts.get(form)?.();

/** Saves all drafts so that they survive the redirect to the identity provider and back. */
export function keepDrafts(): void {
  keepForReturn(KEPT, JSON.stringify(Object.fromEntries([...drafts].map(([form, read]) => [form, read()]))));
}
