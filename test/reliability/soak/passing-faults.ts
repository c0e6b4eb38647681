import { setTimeout as pause } from 'node:timers/promises';
import type { Kind, Part, ProxiedService } from '../proxied-service.ts';
import type { Disturbances } from './disturbances.ts';

const QUIET_MS = 20_000;
const FAULT_MS = 4_000;

/**
 * The faults, in the order in which they happen. A fault is of a kind from the drill `faults`, or delays all calls by
 * `delayMs`.
 */
const FAULTS: readonly { readonly part: Part; readonly fault: Kind | { readonly delayMs: number } }[] = [
  { part: 'firestore', fault: { delayMs: 100 } },
  { part: 'kms', fault: 'down' },
  { part: 'pdp', fault: 'down' },
  { part: 'firestore', fault: 'failing' },
  { part: 'stripe', fault: 'down' },
  { part: 'kms', fault: 'slow' },
  { part: 'idp', fault: 'down' },
  { part: 'pdp', fault: 'failing' },
  { part: 'kms', fault: 'failing' },
  { part: 'firestore', fault: 'down' },
  { part: 'stripe', fault: 'failing' },
];

/** Starts and ends faults until the signal aborts. Returns the number of faults. */
export async function runFaults(
  service: ProxiedService,
  disturbances: Disturbances,
  stopped: AbortSignal,
): Promise<number> {
  let count = 0;
  for (;;) {
    await pause(QUIET_MS, undefined, { signal: stopped }).catch(() => undefined);
    const next = FAULTS[count % FAULTS.length];
    if (stopped.aborted || next === undefined) return count;
    const { part, fault } = next;
    const end = disturbances.begin(`${part} ${typeof fault === 'string' ? fault : 'delayed'}`);
    if (typeof fault === 'string') await service.set(part, fault);
    else service.delay(part, fault.delayMs);
    await pause(FAULT_MS, undefined, { signal: stopped }).catch(() => undefined);
    await service.set(part, null);
    end();
    count += 1;
  }
}
