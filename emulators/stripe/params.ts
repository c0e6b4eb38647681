import * as z from 'zod';
import { invalidRequest } from './errors.ts';
import type { Form } from './form.ts';

/** Any text, Stripe's limit on most fields. */
export const text = z.string().max(5000);
/** A whole number in decimal digits. */
export const integer = z
  .string()
  .regex(/^-?\d{1,15}$/)
  .transform(Number);
/** A whole number that is not negative. */
export const count = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number);
/** `true` or `false`. */
export const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
/** A decimal with at most twelve places, as text. */
export const decimal = z.string().regex(/^-?\d{1,15}(\.\d{1,12})?$/);
/** A lower-case currency code. */
export const currency = z.string().regex(/^[a-z]{3}$/);

/** An address that a browser can be sent to. */
export const webUrl = z.url({ protocol: /^https?$/ });

/** An array, sent as `name[0]`, `name[1]`, … */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.record(z.string().regex(/^\d+$/), item).transform((fields) => Object.values(fields));
}

/** Checks the fields of a request. Throws Stripe's refusal of the first one that is wrong. */
export function parseParams<Schema extends z.ZodType>(schema: Schema, form: Form): z.output<Schema> {
  const result = schema.safeParse(form);
  if (result.success) {
    return result.data;
  }
  const issue = result.error.issues[0];
  if (issue === undefined) {
    throw invalidRequest('Invalid request.');
  }
  if (issue.code === 'unrecognized_keys') {
    const param = paramName([...issue.path, issue.keys[0] ?? '']);
    throw invalidRequest(`Received unknown parameter: ${param}`, { code: 'parameter_unknown', param });
  }
  const param = paramName(issue.path);
  if (valueAt(form, issue.path) === undefined) {
    throw invalidRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param });
  }
  throw invalidRequest(`Invalid ${param}: ${issue.message}`, { param });
}

function paramName([head, ...rest]: readonly PropertyKey[]): string {
  return [String(head), ...rest.map((part) => `[${String(part)}]`)].join('');
}

function valueAt(form: Form, path: readonly PropertyKey[]): string | Form | undefined {
  let value: string | Form | undefined = form;
  for (const part of path) {
    value = typeof value === 'object' ? value[String(part)] : undefined;
  }
  return value;
}
