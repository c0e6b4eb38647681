import { randomUUID } from 'node:crypto';
import type { Firestore } from '@google-cloud/firestore';
import { AUDIT, makeRow } from '../../shared/audit/event.ts';
import { type Instant, makeInstant, SECOND_US } from '../../shared/base/clock.ts';
import { idSchema, type KeyId, makeId, type TenantId } from '../../shared/base/ids.ts';
import { parseInstant } from '../../shared/base/rfc3339.ts';
import { decideSeal } from '../../shared/sealing/decide.ts';
import { type SigningServices, signPending } from '../../shared/sealing/sign-pending.ts';
import type { Addresses } from './client.ts';
import { type Client, signIn } from './tenant.ts';

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
