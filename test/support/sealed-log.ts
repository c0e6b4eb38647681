import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { DocumentData, Firestore, Query } from '@google-cloud/firestore';
import { z } from 'zod';
import { readOwner, verifyLog } from '../../client/src/cli/sealed-log/verify.ts';
import { EncryptionService } from '../../client/src/service.ts';
import { AUDIT, EVENTS, makeRow, ROW_SHARDS } from '../../shared/audit/event.ts';
import { type Clock, type Instant, makeInstant, SECOND_US } from '../../shared/base/clock.ts';
import { idSchema, type KeyId, makeId, type TenantId } from '../../shared/base/ids.ts';
import { parseInstant } from '../../shared/base/rfc3339.ts';
import { decideSeal } from '../../shared/sealing/decide.ts';
import type { SealServices } from '../../shared/sealing/seal-services.ts';
import { SETTLED_AFTER_US, type SealOutcome, sealTenant } from '../../shared/sealing/seal-tenant.ts';
import { type SigningServices, signPending } from '../../shared/sealing/sign-pending.ts';
import { openCheckpoint, parseCheckpoint } from '../../shared/transparency/checkpoint.ts';
import { parseNote } from '../../shared/transparency/note.ts';
import { parseVerifierKey, type VerifierKey } from '../../shared/transparency/verifier-key.ts';
import type { Addresses } from './client.ts';
import { openInProcess } from './in-process.ts';
import { eventObject, read, timestamp } from './objects.ts';
import { type Client, signIn } from './tenant.ts';

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

/** A tenant's log and events, as stored at one point in time. */
export type StoredLog = ReadonlyMap<string, DocumentData>;

/** Reads a tenant's log, so that {@link rollBack} can store it again. */
export async function storedLogOf(store: Firestore, tenantId: string): Promise<StoredLog> {
  const own = ['audit', 'seals', 'restorations'].map(
    (name): Query => store.collection(name).where('tenant_id', '==', tenantId),
  );
  const found = await Promise.all(own.map(async (query) => (await query.get()).docs));
  const single = await store.getAll(store.doc(`sealHeads/${tenantId}`), store.doc(`sealedRows/${tenantId}_0`));
  return new Map(
    [...found.flat(), ...single].flatMap((doc) => {
      const data = doc.data();
      return data === undefined ? [] : [[doc.ref.path, data] as const];
    }),
  );
}

/** Stores an earlier state of a tenant's log, like a restore of the database. */
export async function rollBack(store: Firestore, tenantId: string, before: StoredLog): Promise<void> {
  const batch = store.batch();
  for (const path of (await storedLogOf(store, tenantId)).keys()) if (!before.has(path)) batch.delete(store.doc(path));
  for (const [path, data] of before) batch.set(store.doc(path), data);
  await batch.commit();
}

const APART_US = 500;

/** A tenant whose sealed log was written directly to the store, and a session of its owner. */
export interface PlantedLog {
  readonly id: TenantId;
  readonly console: Client;
  /** The ids of its rows, in the order of the log. */
  readonly rows: readonly string[];
}

/**
 * Makes a tenant and stores a sealed log. `seals` has the number of rows of each seal. Rows are half a millisecond
 * apart, and each seal covers a second.
 */
export async function plantLog(
  stack: Addresses,
  store: Firestore,
  services: SigningServices,
  seals: readonly number[],
): Promise<PlantedLog> {
  const console = await signIn(stack, randomUUID());
  const { id, created_at } = Object(Object((await console.send('GET', '/v1/me')).body).tenant);
  const tenant_id = idSchema<TenantId>().parse(id);
  // The log starts in the past, because future events are not sealed.
  const start = makeInstant((parseInstant(String(created_at)) ?? 0) - seals.length * SECOND_US);
  const batch = store.batch();
  batch.update(store.doc(`tenants/${tenant_id}`), { created_at: new Date(start / 1000) });
  const key_id = makeId<KeyId>();
  const rows = seals.flatMap((count, seal) =>
    Array.from({ length: count }, (_, place) => {
      const rowId = randomUUID();
      const ts = makeInstant(secondOf(start, seal) + (place + 1) * APART_US);
      const did = { operation: 'wrap', result: 'success', error_code: null } as const;
      const by = { request_id: 'planted', api_key_id: null, user_id: null, target_id: null };
      batch.create(store.doc(`audit/${rowId}`), AUDIT.encode(makeRow({ tenant_id, key_id, ts, ...did, ...by }, rowId)));
      return rowId;
    }),
  );
  await batch.commit();
  for (const seal of seals.keys()) {
    const decided = await decideSeal(services.store, tenant_id, secondOf(start, seal + 1));
    if (decided === undefined) throw new Error('a seal has no rows');
    await signPending(services, decided, () => undefined);
  }
  return { id: tenant_id, console, rows };
}

/** Returns the time `seconds` after the start, which is rounded down to the millisecond. */
function secondOf(start: Instant, seconds: number): Instant {
  return makeInstant(Math.floor(start / 1000) * 1000 + seconds * SECOND_US);
}

/**
 * Returns the function `seal`, which seals all events of a tenant in the test's process. The clock of this process is two
 * minutes ahead, because events that are less than two minutes old are not sealed.
 */
export function openSealing(stack: Addresses) {
  const { services, clock, logged } = openInProcess(stack);
  const { signer } = services;
  if (signer === undefined) throw new Error('the stack does not seal');
  clock.move(SETTLED_AFTER_US);
  const seal = async (id: string, changes: Partial<SealServices> = {}): Promise<SealOutcome> => {
    const tenantId = idSchema<TenantId>().parse(id);
    const [newest] = await services.store.select(EVENTS, { equal: [tenantId], anyOf: ROW_SHARDS, limit: 1 });
    if (newest !== undefined) await waitPast(newest.ts, clock);
    return sealTenant({ ...services, signer, ...changes }, { tenantId, marks: [] });
  };
  return { seal, services: { ...services, signer }, clock, logged };
}

/**
 * Waits until a sealing run with this clock includes an event from `ts`. The clock of the process that stored the event
 * can be a few milliseconds ahead. Does not wait for an event that is a second or more ahead.
 */
export async function waitPast(ts: Instant, clock: Clock): Promise<void> {
  const leadUs = () => ts + SETTLED_AFTER_US - clock.now();
  for (let lead = leadUs(); lead >= 0 && lead < SECOND_US; lead = leadUs()) await pause(1);
}

/**
 * Verifies the log of the session's tenant as `esk audit verify` does. Returns the findings and the number of entries.
 * `message` is the saved checkpoint, if any. `acknowledged` lists the acknowledged restores.
 */
export async function checkLog(session: Client, message?: string, acknowledged: readonly string[] = []) {
  const service = serviceFor(session);
  const owner = await readOwner(service);
  const checkpoint = parseCheckpoint(parseNote(message ?? '')?.text ?? '');
  const kept = message === undefined || checkpoint === undefined ? undefined : { message, checkpoint };
  const { findings, entries } = await verifyLog(service, owner, kept, async () => undefined, acknowledged);
  return { findings, entries };
}

/** Returns an `EncryptionService` that sends the session's access token. */
export function serviceFor({ stack, token }: Client): EncryptionService {
  return new EncryptionService({ url: stack.baseUrl, accessToken: () => token ?? '' });
}
