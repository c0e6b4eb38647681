import { z } from 'zod';
import { openCheckpoint } from '../../shared/transparency/checkpoint.ts';
import { parseVerifierKey, type VerifierKey } from '../../shared/transparency/verifier-key.ts';
import { eventObject, read, timestamp } from './objects.ts';
import type { Client } from './tenant.ts';

/** The schema of a seal, which allows only these fields. */
export const sealObject = z.strictObject({
  index: z.int(),
  from: timestamp,
  until: timestamp,
  first_entry: z.int(),
  entries: z.int(),
  size: z.int(),
  root: z.base64(),
  checkpoint: z.string(),
});

/** Returns the seals of the session's tenant, starting with the index in the query. */
export async function sealsOf(session: Client, query = '') {
  return read(z.array(sealObject), await session.send('GET', `/v1/audit/seals${query}`));
}

/** Returns the log entries of the session's tenant, starting with the position in the query. */
export async function entriesOf(session: Client, query = '') {
  return read(z.array(eventObject.nullable()), await session.send('GET', `/v1/audit/entries${query}`));
}

/** Returns the verifier key of the log of the session's tenant. */
export async function logKeyOf(session: Client): Promise<VerifierKey> {
  const { body } = await session.send('GET', '/v1/audit/key');
  const key = parseVerifierKey(String(body));
  if (key === undefined) throw new Error(`no verifier key: ${body}`);
  return key;
}

/** Returns the size and root of a checkpoint. Throws an `Error` if the key has not signed the checkpoint. */
export function signedIn(checkpoint: string, key: VerifierKey) {
  const opened = openCheckpoint(checkpoint, key);
  if ('refused' in opened) throw new Error(opened.refused);
  const { size, root } = opened.checkpoint;
  return { size, root };
}
