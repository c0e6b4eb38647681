import { setTimeout as sleep } from 'node:timers/promises';
import type { TenantId } from '../base/ids.ts';

/** The maximum number of running and waiting checks of a tenant. Each check keeps a request waiting in memory. */
const MAX_PER_TENANT = 64;
/** The maximum number of such checks for one API key. The rest of the limit is for other API keys of the tenant. */
const MAX_PER_API_KEY = 8;
/** The pause after a wrong secret. With it, guessing the secret of one API key uses at most a quarter of a core. */
const PENALTY_MS = 50;

interface CheckQueue {
  length: number;
  free: Promise<void>;
}

/** Runs an API key's secret checks one after the other, so a flood of wrong secrets hardly slows other API keys. */
export class SerialChecks {
  readonly #queues = new Map<string, CheckQueue>();
  readonly #ofTenants = new Map<TenantId, number>();

  get taken(): number {
    return this.#ofTenants.values().reduce((sum, taken) => sum + taken, 0);
  }

  /** Runs a check after the API key's earlier ones. Throws `refuse()` if too many checks of it or its tenant wait. */
  async take(tenantId: TenantId, hash: string, check: () => Promise<boolean>, refuse: () => Error): Promise<boolean> {
    const queue = this.#queues.get(hash) ?? { length: 0, free: Promise.resolve() };
    const ofTenant = this.#ofTenants.get(tenantId) ?? 0;
    if (queue.length >= MAX_PER_API_KEY || ofTenant >= MAX_PER_TENANT) throw refuse();
    queue.length++;
    this.#queues.set(hash, queue);
    this.#ofTenants.set(tenantId, ofTenant + 1);
    const checked = queue.free.then(check);
    this.#delayNext(hash, queue, checked);
    try {
      return await checked;
    } finally {
      queue.length--;
      this.#release(tenantId);
    }
  }

  #delayNext(hash: string, queue: CheckQueue, checked: Promise<boolean>): void {
    const free = checked.then(
      (right) => (right ? undefined : sleep(PENALTY_MS)),
      () => undefined,
    );
    queue.free = free;
    void free.then(() => {
      if (queue.free === free) this.#queues.delete(hash);
    });
  }

  #release(tenantId: TenantId): void {
    const left = (this.#ofTenants.get(tenantId) ?? 0) - 1;
    if (left > 0) this.#ofTenants.set(tenantId, left);
    else this.#ofTenants.delete(tenantId);
  }
}
