import { ApiError } from '../errors.ts';
import { type CipherServices, readAgain } from './cipher.ts';
import type { Key } from './key.ts';

/** A version stays enabled for twice as long after it stopped being primary. */
const TRUSTED_MS = 250;
const REPEATS_AT_MOST = 3;

/** The key as an operation last read it, and the milliseconds since that read was sent. */
export interface LastRead {
  key: Key;
  age: () => number;
}

/** Encrypts under the primary version of a key. Returns `undefined` if the KMS refuses the version. */
export type Encrypt<Result> = (key: Key) => Promise<Result | undefined>;

/** A result with new ciphertext, and the version that made it. */
export interface Made<Result> {
  readonly result: Result;
  readonly version: number;
  readonly encrypt: Encrypt<Result>;
  /** How often the ciphertext was made again. */
  readonly repeats: number;
}

/**
 * Makes ciphertext under the primary version. If the KMS refuses the version, reads the key and makes it again. Throws
 * `unavailable` after three repetitions, or the errors of {@link readAgain}.
 */
export async function make<Result>(
  services: CipherServices,
  lastRead: LastRead,
  encrypt: Encrypt<Result>,
  repeats = 0,
): Promise<Made<Result>> {
  if (repeats > REPEATS_AT_MOST) throw new ApiError('unavailable', 'the key was rotated too often meanwhile');
  const { key } = lastRead;
  const { primary_version: version } = key;
  const result = await encrypt(key);
  if (result !== undefined) return { result, version, encrypt, repeats };
  await refresh(services, lastRead);
  if (lastRead.key.primary_version === version) throw new Error('the primary version is not enabled in the KMS');
  return make(services, lastRead, encrypt, repeats + 1);
}

/**
 * Reads the key again if the last read is old, and makes ciphertext again whose version is no longer primary. Throws the
 * errors of {@link make}.
 */
export async function renew<Result>(
  services: CipherServices,
  lastRead: LastRead,
  made: Made<Result>,
): Promise<Made<Result>> {
  if (lastRead.age() > TRUSTED_MS) await refresh(services, lastRead);
  if (made.version === lastRead.key.primary_version) return made;
  return renew(services, lastRead, await make(services, lastRead, made.encrypt, made.repeats + 1));
}

/** Reads the key again. Throws the errors of {@link readAgain}. */
async function refresh(services: CipherServices, lastRead: LastRead): Promise<void> {
  const age = services.startStopwatch();
  const key = await readAgain(services, lastRead.key);
  // Values of a batch read concurrently, so a later read may have ended sooner.
  if (age() <= lastRead.age()) Object.assign(lastRead, { key, age });
}
