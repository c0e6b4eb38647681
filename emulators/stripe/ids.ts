import { randomInt } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const lengths = {
  cus: 14,
  prod: 14,
  price: 24,
  sub: 24,
  si: 14,
  in: 24,
  ii: 24,
  il: 24,
  li: 24,
  cs_test: 58,
  bps: 24,
  evt: 24,
  req: 14,
} as const;

/** What an id can begin with. */
export type IdPrefix = keyof typeof lengths;

/** A random text of letters and digits. */
export function randomText(length: number): string {
  return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
}

/** A fresh id with the prefix and about the length of Stripe's. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${randomText(lengths[prefix])}`;
}
