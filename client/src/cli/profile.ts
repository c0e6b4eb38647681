import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeText } from './atomic-file.ts';
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
}

/** Returns the stored profile, or `undefined` if nobody is signed in. Throws a {@link Failure} for a malformed file. */
export async function readProfile(folder: string): Promise<Profile | undefined> {
  const path = profilePath(folder);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  const profile = parseProfile(text);
  if (profile === undefined) {
    throw new Failure(EXIT.local, 'invalid_profile', `${path} is not a valid profile; delete it and run esk login`);
  }
  return profile;
}

/** Stores the profile in a file that only its owner can read. The caller must hold the folder's lock. */
export async function writeProfile(folder: string, profile: Profile): Promise<void> {
  await writeText(profilePath(folder), `${JSON.stringify(profile, undefined, 2)}\n`, 0o600);
}

export async function removeProfile(folder: string): Promise<void> {
  await rm(profilePath(folder), { force: true });
}

export function profilePath(folder: string): string {
  return join(folder, 'profile.json');
}

function parseProfile(text: string): Profile | undefined {
  const json = parse(text);
  if (!isRow(json)) return undefined;
  const { url, issuer, client_id, access_token, expires_at, refresh_token } = json;
  if (typeof url !== 'string' || typeof issuer !== 'string' || typeof client_id !== 'string') return undefined;
  if (typeof access_token !== 'string') return undefined;
  if (typeof expires_at !== 'number' && expires_at !== null) return undefined;
  if (typeof refresh_token !== 'string' && refresh_token !== null) return undefined;
  return { url, issuer, client_id, access_token, expires_at, refresh_token };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
