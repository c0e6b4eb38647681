import { randomBytes } from 'node:crypto';

/** A new data key of that many random bytes. */
export function makeDek(bytes = 32): Buffer {
  return randomBytes(bytes);
}
