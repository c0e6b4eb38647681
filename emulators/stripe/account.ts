import { randomBytes } from 'node:crypto';
import { StripeError } from './errors.ts';
import type { State } from './objects.ts';

export interface Account {
  readonly state: State;
  /** Returns whole seconds since the epoch. */
  readonly now: () => number;
  /** The URL of the hosted pages, without a trailing slash. */
  readonly baseUrl: string;
}

export function newId(prefix: 'bps' | 'cs_test' | 'cus' | 'evt' | 'ii' | 'in' | 'req' | 'si' | 'sub'): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`;
}

/**
 * Returns the object with this id. If it does not exist, throws {@link StripeError}: 404 if the id is from the path, or
 * 400 if it is from the parameter `param`.
 */
export function load<Stored extends { id: string }>(
  list: readonly Stored[],
  kind: string,
  id: string,
  param?: string,
): Stored {
  const found = list.find((candidate) => candidate.id === id);
  if (found !== undefined) return found;
  const detail = { code: 'resource_missing', param: param ?? 'id' };
  throw new StripeError(param === undefined ? 404 : 400, `No such ${kind}: '${id}'`, detail);
}
