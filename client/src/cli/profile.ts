import { open, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UnfinishedFile, writeText } from './atomic-file.ts';
import { EXIT, Failure } from './failure.ts';
import { isRow } from './row.ts';

export interface Profile {
  readonly url: string;
  readonly issuer: string;
  readonly client_id: string;
  readonly access_token: string;
  /** The access token's expiry in milliseconds since the epoch; `null` if unknown. */
  readonly expires_at: number | null;
  readonly refresh_token: string | null;
  /** The person. Profiles that older releases wrote do not have it. */
  readonly user_id?: string | undefined;
}

/** Space for tokens that are longer than the stored ones. JSON allows spaces at the end. */
const RESERVE = ' '.repeat(8192);

/** Returns the stored profile, or `undefined` if nobody is signed in. Throws a {@link Failure} for a malformed file. */
export async function readProfile(folder: string): Promise<Profile | undefined> {
  const path = profilePath(folder);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    return ignoreMissing(error);
  }
  // After `esk logout`, a profile that cannot be removed is empty.
  if (text.trim() === '') return undefined;
  const profile = parseProfile(text);
  if (profile === undefined) {
    throw new Failure(EXIT.local, 'invalid_profile', `${path} is not a valid profile; delete it and run esk login`);
  }
  return profile;
}

/** Stores the profile in a file that only its owner can read. The caller must hold the folder's lock. */
export async function writeProfile(folder: string, profile: Profile): Promise<void> {
  await store(profilePath(folder), `${JSON.stringify(profile, undefined, 2)}\n`);
}

/**
 * Proves that a profile can be stored, before a token that works only once is used. The caller must hold the folder's
 * lock.
 */
export async function proveWritable(folder: string): Promise<void> {
  const path = profilePath(folder);
  // A new sign-in can replace a file that only another user may read.
  const text = await readFile(path, 'utf8').catch((error) =>
    error.code === 'EACCES' ? undefined : ignoreMissing(error),
  );
  if (text !== undefined) return store(path, `${text.trimEnd()}\n${RESERVE}`);
  const trial = await UnfinishedFile.begin(path);
  await trial.write(RESERVE).finally(() => trial.giveUp());
}

/** Removes the profile. Empties a file that cannot be removed, such as one that a container mounts. */
export async function removeProfile(folder: string): Promise<void> {
  const path = profilePath(folder);
  await rm(path, { force: true }).catch((error) => overwrite(path, '', error));
}

/** Replaces a file. If it cannot be replaced, for example because a container mounts it, overwrites it. */
async function store(path: string, text: string): Promise<void> {
  await writeText(path, text, 0o600).catch((error) => overwrite(path, text, error));
}

/** Overwrites a file. Throws `reason`, why the file could not be replaced, if there is no file. */
async function overwrite(path: string, text: string, reason: unknown): Promise<void> {
  const { size } = await stat(path).catch(() => {
    throw reason;
  });
  const file = await open(path, 'r+');
  try {
    // Until the file is cut to its new length, spaces replace the rest of the old text.
    await file.writeFile(text.padEnd(size));
    await file.truncate(Buffer.byteLength(text));
    await file.sync();
  } finally {
    await file.close();
  }
}

export function profilePath(folder: string): string {
  return join(folder, 'profile.json');
}

function parseProfile(text: string): Profile | undefined {
  const json = parse(text);
  if (!isRow(json)) return undefined;
  const { url, issuer, client_id, access_token, expires_at, refresh_token, user_id } = json;
  if (typeof url !== 'string' || typeof issuer !== 'string' || typeof client_id !== 'string') return undefined;
  if (typeof access_token !== 'string') return undefined;
  if (typeof expires_at !== 'number' && expires_at !== null) return undefined;
  if (typeof refresh_token !== 'string' && refresh_token !== null) return undefined;
  if (typeof user_id !== 'string' && user_id !== undefined) return undefined;
  return { url, issuer, client_id, access_token, expires_at, refresh_token, user_id };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
