import { invalidRequest } from './errors.ts';

/** Decoded form fields: `a[b][0]=c` is `{ a: { b: { 0: 'c' } } }`. */
export type Form = { [field: string]: string | Form };

/** Decodes `application/x-www-form-urlencoded` text with nested brackets; `a[]` takes the next free index. */
export function decodeForm(text: string): Form {
  const form = emptyForm();
  for (const [key, value] of new URLSearchParams(text)) {
    place(form, pathOf(key), value);
  }
  return form;
}

// Without a prototype, so that a field may be called anything.
function emptyForm(): Form {
  return Object.create(null);
}

function pathOf(key: string): string[] {
  const match = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(key);
  if (match?.[1] === undefined) {
    throw invalidRequest(`Invalid parameter name: ${key}`);
  }
  const inner = match[2] ? match[2].slice(1, -1).split('][') : [];
  return [match[1], ...inner];
}

function place(form: Form, path: readonly string[], value: string): void {
  const [head = '', ...rest] = path;
  const field = head === '' ? String(Object.keys(form).length) : head;
  if (rest.length === 0) {
    form[field] = value;
    return;
  }
  const inner = form[field] ?? emptyForm();
  if (typeof inner === 'string') {
    throw invalidRequest(`Invalid parameter: ${field} is given both as a value and as an object`, { param: field });
  }
  form[field] = inner;
  place(inner, rest, value);
}
