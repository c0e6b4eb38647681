import { keepForReturn, takeKept } from './kept.ts';

const KEPT = 'drafts';
/** The name under which the id of the person is kept who typed the drafts. */
const AUTHOR = 'drafts-of';

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

/**
 * Saves all drafts so that they survive a reload, and the redirect to the identity provider and back. `userId` is the
 * signed-in person. While nobody is signed in, the drafts are still those of the person before.
 */
export function keepDrafts(userId: string | undefined): void {
  if (userId !== undefined) keepForReturn(AUTHOR, userId);
  keepForReturn(KEPT, JSON.stringify(Object.fromEntries([...drafts].map(([form, read]) => [form, read()]))));
}

/** Drops the drafts that were saved before the sign-in if another person typed them. */
export function forgetDraftsUnlessOf(userId: string): void {
  const author = takeKept(AUTHOR);
  if (author !== undefined && author !== userId) drafts.clear();
}
