import { setTimeout as pause } from 'node:timers/promises';
import type { Addresses } from '../../support/client.ts';
import { readDocument } from '../../support/documents.ts';
import { withDeadline } from './deadline.ts';
import type { Disturbances } from './disturbances.ts';
import type { Timed } from './sender.ts';
import type { SoakTenant } from './tenants.ts';

const EVERY_MS = 200;
const READ_DEADLINE_MS = 60_000;
/** A read usually takes a few milliseconds. If it takes this long, the service's calls may exceed their deadlines. */
const BUSY_AFTER_MS = 500;

/**
 * Reads directly from the Firestore emulator until the signal aborts. This measures the speed of the machine and the
 * emulator without the service. Records when the machine is too busy to judge the service.
 */
export async function readDirectly(
  stack: Addresses,
  tenants: readonly SoakTenant[],
  stopped: AbortSignal,
  reads: Timed[],
  disturbances: Disturbances,
): Promise<void> {
  for (let n = 0; !stopped.aborted; n++) {
    const at = performance.now();
    let end = (): void => undefined;
    const busy = setTimeout(() => {
      end = disturbances.begin('high load');
    }, BUSY_AFTER_MS);
    const read = readDocument(stack, `tenants/${tenants[n % tenants.length]?.id}`);
    await withDeadline(READ_DEADLINE_MS, 'a read of the emulator', read);
    clearTimeout(busy);
    end();
    reads.push({ at, tookMs: performance.now() - at });
    await pause(EVERY_MS, undefined, { signal: stopped }).catch(() => undefined);
  }
}
