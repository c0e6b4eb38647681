import { randomBytes } from 'node:crypto';

/** A new data key: 32 random bytes. */
export function makeDek(): Buffer {
  return randomBytes(32);
}
