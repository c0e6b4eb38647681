import { randomBytes } from 'node:crypto';
import { StripeError } from './errors.ts';
import type { State } from './objects.ts';

/** One Stripe account, as the code that changes it sees it. */
export interface Account {
  readonly state: State;
  /** The time in whole seconds since the epoch. */
  readonly now: () => number;
  /** Where the hosted pages are, without a trailing slash. */
  readonly baseUrl: string;
}

/** A fresh id with Stripe's prefix for its kind. */
export function newId(prefix: 'bps' | 'cs_test' | 'cus' | 'evt' | 'ii' | 'in' | 'req' | 'si' | 'sub'): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`;
}

/**
 * The object of this id. Throws Stripe's refusal when there is none: 404 where the id stands in the path, 400 where it
 * stands in the parameter `param`.
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
