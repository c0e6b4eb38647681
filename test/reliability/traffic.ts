import { setTimeout as rest } from 'node:timers/promises';
import type { Addresses, Answer } from '../support/client.ts';
import { makeTenant, type Tenant } from '../support/tenant.ts';
import { administering, changingKeys, operating, usingTransit } from './clients.ts';
import { type Call, type Ledger, Unexpected } from './ledger.ts';
import { readRows } from './stored-as-acknowledged.ts';

const TENANTS = 3;

/** The pause of a client between two requests. Without it, clients would keep the machine busy. */
const REST_MS = 25;

/** The ordinary traffic of several tenants. */
export interface Traffic {
  readonly tenants: readonly Tenant[];
  /** Waits until no request is in progress and does some work. Then the traffic continues. */
  meanwhile(work: () => Promise<void>): Promise<void>;
  /** Stops the traffic. Resolves when all clients have finished their work. */
  stop(): Promise<void>;
}

/** Creates tenants, and starts clients that record their requests in the ledger. */
export async function startTraffic(at: Addresses, ledger: Ledger): Promise<Traffic> {
  const tenants = await Promise.all(Array.from({ length: TENANTS }, () => makeTenant(at)));
  for (const { console } of tenants) for (const [id, row] of await readRows(console)) ledger.rows.set(id, row);
  const underWay = new Set<Promise<Answer>>();
  let mayGo = Promise.resolve();
  let isOver = false;
  const send = async (call: Call): Promise<Answer> => {
    await rest(REST_MS);
    await mayGo;
    const sent = ledger.send(call);
    underWay.add(sent);
    return sent.finally(() => underWay.delete(sent));
  };
  const repeat = async (once: () => Promise<void>): Promise<void> => {
    while (!isOver) {
      await once().catch((error: unknown) => {
        if (!(error instanceof Unexpected)) throw error;
      });
    }
  };
  const kinds = [operating, operating, changingKeys, administering, usingTransit];
  const clients = tenants.flatMap((tenant) => kinds.map((kind) => repeat(kind({ tenant, ledger, send }))));
  return {
    tenants,
    async meanwhile(work) {
      const { promise, resolve } = Promise.withResolvers<void>();
      mayGo = promise;
      await Promise.allSettled(underWay);
      await work();
      resolve();
    },
    async stop() {
      isOver = true;
      await Promise.all(clients);
    },
  };
}
