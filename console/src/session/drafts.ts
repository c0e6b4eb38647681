import { keepForReturn, takeKept } from './kept.ts';

const KEPT = 'drafts';

/** What the fields of a form hold, by their names. */
export type Fields = Readonly<Record<string, readonly string[]>>;

/** How to read what was typed into forms that are not sent yet, by the form's name. None of them has a field for a secret. */
const drafts = new Map<string, () => Fields>();
for (const [form, fields] of Object.entries<Fields>(JSON.parse(takeKept(KEPT) ?? '{}'))) drafts.set(form, () => fields);

/** Notes that something is typed into a form. */
export function noteDraft(form: string, element: HTMLFormElement): void {
  drafts.set(form, () => {
    const data = new FormData(element);
    return Object.fromEntries([...new Set(data.keys())].map((name) => [name, data.getAll(name).map(String)]));
  });
}

/** Forgets what a form held. */
export function dropDraft(form: string): void {
  drafts.delete(form);
}

/** Whether there is a draft of the form. */
export const hasDraft = (form: string): boolean => drafts.has(form);

/** What was typed into the form. */
export const readDraft = (form: string): Fields | undefined => drafts.get(form)?.();

/** Keeps all drafts over a way to the identity provider and back. */
export function keepDrafts(): void {
  keepForReturn(KEPT, JSON.stringify(Object.fromEntries([...drafts].map(([form, read]) => [form, read()]))));
}
