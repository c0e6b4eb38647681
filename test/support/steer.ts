import { z } from 'zod';
import { type Addresses, control, text } from './client.ts';
import { DEPLOYED } from './stacks.ts';

/** The faults to set, by part of the stack; `null` removes a fault. Parts that are not named keep their faults. */
type FaultChanges = Readonly<
  Partial<Record<'kms' | 'pdp' | 'idp' | 'stripe' | 'firestore', 'down' | { delay_ms: number } | null>>
> & { readonly audit_rows?: 'down' | null };

const NO_FAULTS: FaultChanges = { kms: null, pdp: null, idp: null, stripe: null, firestore: null, audit_rows: null };

/** Returns the time of the stack's clock. */
export async function readClock(stack: Addresses): Promise<string> {
  return text(await control(stack, 'GET', '/clock'), 'now');
}

/** Sets the service's clock, which runs on from there; `null` means real time. */
export async function setClock(stack: Addresses, now: string | null): Promise<void> {
  await control(stack, 'POST', '/clock', { now });
}

/**
 * Applies the rate limit with a clock that stands at this number of milliseconds; `null` turns the rate limit off. At
 * first, every bucket is full. Deployed functions do not support this.
 */
export async function holdRateLimit(stack: Addresses, at_ms: number | null): Promise<void> {
  await control(stack, 'POST', '/rate-limit', { at_ms });
}

/** Sets the faults of the named parts. */
export async function setFaults(stack: Addresses, changes: FaultChanges): Promise<void> {
  await control(stack, 'POST', '/faults', changes);
}

/** Sets the service's clock to an hour after real time. */
export async function hourLater(stack: Addresses): Promise<void> {
  await setClock(stack, new Date(Date.now() + HOUR_MS).toISOString());
}

/** Removes all faults and the rate limit, and returns to real time. */
export async function mendStack(stack: Addresses): Promise<void> {
  await setFaults(stack, NO_FAULTS);
  await setClock(stack, null);
  if (!DEPLOYED) await holdRateLimit(stack, null);
}

const destruction = z.strictObject({ destroyed: z.int(), finished: z.int(), cleared: z.int(), failed: z.int() });

/** Runs the scheduled destruction now. Returns its summary. */
export async function destroyDueKeys(stack: Addresses): Promise<z.output<typeof destruction>> {
  return destruction.parse((await control(stack, 'POST', '/scheduled/destroy-due-keys')).body);
}

const sealing = z.strictObject({ sealed: z.int(), entries: z.int(), failed: z.int() });

/** Runs the scheduled sealing now. Returns its summary. */
export async function sealAudit(stack: Addresses): Promise<z.output<typeof sealing>> {
  return sealing.parse((await control(stack, 'POST', '/scheduled/seal-audit')).body);
}

/** Returns an RFC 3339 time plus `ms` milliseconds, and keeps the microseconds. */
export function later(timestamp: string, ms: number): string {
  const moved = new Date(Date.parse(timestamp) + ms).toISOString();
  return moved.replace('Z', `${/\.\d{3}(\d{3})Z$/.exec(timestamp)?.[1] ?? '000'}Z`);
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
