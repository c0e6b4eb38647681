import { keepForReturn, takeKept } from './kept.ts';

const KEPT = 'drafts';

type Fields = Readonly<Record<string, readonly string[]>>;

/** What was typed into forms that are not sent yet, by the form's name. None of them has a field for a secret. */
const drafts = new Map<string, Fields>(Object.entries(JSON.parse(takeKept(KEPT) ?? '{}')));

/** Notes what a form holds. */
export function noteDraft(form: string, data: FormData): void {
  drafts.set(form, Object.fromEntries([...new Set(data.keys())].map((name) => [name, data.getAll(name).map(String)])));
}

/** Forgets what a form held. */
export function dropDraft(form: string): void {
  drafts.delete(form);
}

/** Whether there is a draft of the form. */
export const hasDraft = (form: string): boolean => drafts.has(form);

/** Puts a draft back into its form, and tells the form's own listeners. */
export function restoreDraft(name: string, form: HTMLFormElement): void {
  const fields = drafts.get(name);
  if (fields === undefined) return;
  for (const element of form.elements) {
    if (element instanceof HTMLInputElement && element.type === 'checkbox') {
      element.checked = fields[element.name]?.includes(element.value) ?? false;
    } else if (element instanceof HTMLSelectElement) {
      for (const option of element.options) option.selected = fields[element.name]?.includes(option.value) ?? false;
    } else if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
      element.value = fields[element.name]?.[0] ?? '';
    } else continue;
    element.dispatchEvent(new Event('input', { bubbles: true }));
    element.dispatchEvent(new Event('change', { bubbles: true }));
  }
}

/** Keeps all drafts over a way to the identity provider and back. */
export function keepDrafts(): void {
  keepForReturn(KEPT, JSON.stringify(Object.fromEntries(drafts)));
}
