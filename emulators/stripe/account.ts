import { randomBytes } from 'node:crypto';
import { StripeError } from './errors.ts';
import type { State } from './objects.ts';

/** One Stripe account: its state, and what its routes need beside it. */
export interface Account {
  readonly state: State;
  /** The time in whole seconds since the epoch. */
  readonly now: () => number;
  /** Where the hosted pages are, without a trailing slash. */
  readonly baseUrl: string;
}

/** A new random id with Stripe's prefix for the kind of object. */
export function newId(prefix: 'bps' | 'cs_test' | 'cus' | 'evt' | 'ii' | 'in' | 'req' | 'si' | 'sub'): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`;
}

/**
 * The object of this id. Throws {@link StripeError} when no object has it: 404 when the id was in the path, 400 when it
 * was in the parameter `param`.
 */
export function load<Kept extends { id: string }>(
  list: readonly Kept[],
  kind: string,
  id: string,
  param?: string,
): Kept {
  const found = list.find((candidate) => candidate.id === id);
  if (found !== undefined) return found;
  const detail = { code: 'resource_missing', param: param ?? 'id' };
  throw new StripeError(param === undefined ? 404 : 400, `No such ${kind}: '${id}'`, detail);
}
