import { setTimeout as rest } from 'node:timers/promises';
import type { TenantId } from '../base/ids.ts';

/** How many checks of a tenant may be under way or wait: each holds one of the requests that a process takes. */
const OF_TENANT = 32;
/** The same of one API key: whoever floods a few of a tenant's leaves room for its others. */
const OF_API_KEY = 4;
/** How long the next check of an API key waits after a wrong secret: so guessing at one takes a quarter of a core at most. */
const REST_MS = 50;

interface Line {
  /** Checks under way or waiting. */
  length: number;
  /** Resolves when the next check may begin. */
  free: Promise<void>;
}

/**
 * The checks of each API key, which is known by its stored hash, one after another: whoever floods one with wrong secrets
 * takes little from all the others. What waits here, and the rest after a wrong secret, takes nothing from anybody else.
 */
export class Turns {
  readonly #lines = new Map<string, Line>();
  readonly #ofTenants = new Map<TenantId, number>();

  /** How many checks are under way or wait. */
  get taken(): number {
    return this.#ofTenants.values().reduce((sum, taken) => sum + taken, 0);
  }

  /** What `check` finds, once those of the same API key before it are done. Throws what `refuse` makes when too many of the API key or of its tenant wait. */
  async take(tenantId: TenantId, hash: string, check: () => Promise<boolean>, refuse: () => Error): Promise<boolean> {
    const line = this.#lines.get(hash) ?? { length: 0, free: Promise.resolve() };
    const ofTenant = this.#ofTenants.get(tenantId) ?? 0;
    if (line.length >= OF_API_KEY || ofTenant >= OF_TENANT) throw refuse();
    line.length++;
    this.#lines.set(hash, line);
    this.#ofTenants.set(tenantId, ofTenant + 1);
    const checked = line.free.then(check);
    this.#rest(hash, line, checked);
    try {
      return await checked;
    } finally {
      line.length--;
      this.#leave(tenantId);
    }
  }

  /** Has the next check wait for this one, and after a wrong secret for longer. */
  #rest(hash: string, line: Line, checked: Promise<boolean>): void {
    const free = checked.then(
      (right) => (right ? undefined : rest(REST_MS)),
      () => undefined,
    );
    line.free = free;
    void free.then(() => {
      if (line.free === free) this.#lines.delete(hash);
    });
  }

  #leave(tenantId: TenantId): void {
    const left = (this.#ofTenants.get(tenantId) ?? 0) - 1;
    if (left > 0) this.#ofTenants.set(tenantId, left);
    else this.#ofTenants.delete(tenantId);
  }
}
