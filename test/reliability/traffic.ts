import { setTimeout as pause } from 'node:timers/promises';
import type { Addresses, Answer } from '../support/client.ts';
import { makeTenant, type Tenant } from '../support/tenant.ts';
import { administering, changingKeys, operating, usingTransit } from './clients.ts';
import { type Call, type Ledger, UnexpectedAnswer } from './ledger.ts';
import { readRows } from './stored-as-acknowledged.ts';

const TENANTS = 3;

/** The pause of a client between two requests. Without it, clients would keep the machine busy. */
const PAUSE_MS = 25;

/** The ordinary traffic of several tenants. */
export interface Traffic {
  readonly tenants: readonly Tenant[];
  /** Waits until no request is in progress and does some work. Then the traffic continues. */
  whilePaused(work: () => Promise<void>): Promise<void>;
  /** Stops the traffic. Resolves when all clients have finished their work. */
  stop(): Promise<void>;
}

/** Creates tenants, and starts clients that record their requests in the ledger. */
export async function startTraffic(at: Addresses, ledger: Ledger): Promise<Traffic> {
  const tenants = await Promise.all(Array.from({ length: TENANTS }, () => makeTenant(at)));
  for (const { console } of tenants) for (const [id, row] of await readRows(console)) ledger.rows.set(id, row);
  const inFlight = new Set<Promise<Answer>>();
  let resumed = Promise.resolve();
  let isStopped = false;
  const send = async (call: Call): Promise<Answer> => {
    await pause(PAUSE_MS);
    await resumed;
    const sent = ledger.send(call);
    inFlight.add(sent);
    return sent.finally(() => inFlight.delete(sent));
  };
  const repeat = async (once: () => Promise<void>): Promise<void> => {
    while (!isStopped) {
      await once().catch((error: unknown) => {
        if (!(error instanceof UnexpectedAnswer)) throw error;
      });
    }
  };
  const kinds = [operating, operating, changingKeys, administering, usingTransit];
  const clients = tenants.flatMap((tenant) => kinds.map((kind) => repeat(kind({ tenant, ledger, send }))));
  return {
    tenants,
    async whilePaused(work) {
      const { promise, resolve } = Promise.withResolvers<void>();
      resumed = promise;
      await Promise.allSettled(inFlight);
      await work();
      resolve();
    },
    async stop() {
      isStopped = true;
      await Promise.all(clients);
    },
  };
}
