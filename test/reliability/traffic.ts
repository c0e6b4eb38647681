import { setTimeout as rest } from 'node:timers/promises';
import type { Addresses, Answer } from '../support/client.ts';
import { makeTenant, type Tenant } from '../support/tenant.ts';
import { administering, changingKeys, operating, usingTransit } from './clients.ts';
import { type Call, type Ledger, Unexpected } from './ledger.ts';
import { readRows } from './stored-as-acknowledged.ts';

const TENANTS = 3;

/** The pause between requests, which leaves processor time for other work. */
const REST_MS = 25;

export interface Traffic {
  readonly tenants: readonly Tenant[];
  /** Runs work while no request is in flight, then continues the traffic. */
  meanwhile(work: () => Promise<void>): Promise<void>;
  /** Resolves when all clients have finished their last sequence. */
  stop(): Promise<void>;
}

/** Creates tenants and starts their clients, which record their requests in the ledger. */
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
  const keepOn = async (once: () => Promise<void>): Promise<void> => {
    while (!isOver) {
      await once().catch((error: unknown) => {
        if (!(error instanceof Unexpected)) throw error;
      });
    }
  };
  const kinds = [operating, operating, changingKeys, administering, usingTransit];
  const clients = tenants.flatMap((tenant) => kinds.map((kind) => keepOn(kind({ tenant, ledger, send }))));
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
