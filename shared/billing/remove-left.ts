import { readEvents } from '../audit/read.ts';
import type { Clock } from '../base/clock.ts';
import { monthOf, nextMonthStart } from '../base/month.ts';
import type { Store } from '../store/store.ts';
import { CLAIMS } from '../tenancy/claim.ts';
import { CONTAINERS, CONTAINERS_OF_TENANT } from '../tenancy/container.ts';
import { containerClaim } from '../tenancy/containers.ts';
import { FIREWALLS, FIREWALLS_OF_TENANT } from '../tenancy/firewall.ts';
import { firewallClaim } from '../tenancy/firewalls.ts';
import { TEAMS } from '../tenancy/team.ts';
import { TENANTS, type Tenant } from '../tenancy/tenant.ts';

/** Returns the tenants whose last member has left. The commit with which they left made the tenant due early. */
export async function selectLeft(
  { store }: { readonly store: Store },
  tenants: readonly Tenant[],
): Promise<ReadonlySet<Tenant>> {
  const early = tenants.filter(
    ({ billing, close_failures, close_attempt_at, next_close_at }) =>
      billing === null && close_failures === 0 && close_attempt_at < next_close_at,
  );
  const teams = await store.findAll(
    TEAMS,
    early.map(({ id }) => id),
  );
  return new Set(early.filter((_, at) => teams[at] === undefined));
}

/** Removes a tenant that was left. Its document and its revoked API keys stay if its audit log has events. */
export async function removeLeft(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  { id }: Pick<Tenant, 'id'>,
): Promise<void> {
  for await (const firewalls of store.pages(FIREWALLS_OF_TENANT, { equal: [id] })) {
    await store.write((writes) => {
      for (const firewall of firewalls) {
        writes.remove(CLAIMS, firewallClaim(firewall));
        writes.remove(FIREWALLS, firewall.id);
      }
    });
  }
  for await (const containers of store.pages(CONTAINERS_OF_TENANT, { equal: [id] })) {
    await store.write((writes) => {
      for (const container of containers) {
        writes.remove(CLAIMS, containerClaim(container));
        writes.remove(CONTAINERS, container.id);
      }
    });
  }
  const { events } = await readEvents(store, id, {
    limit: 1,
    filters: {},
    since: undefined,
    until: undefined,
    after: undefined,
  });
  const next = nextMonthStart(monthOf(clock.now()));
  await store.write((writes) => {
    if (events.length === 0) writes.remove(TENANTS, id);
    else
      for (const field of ['next_close_at', 'close_attempt_at'] as const) writes.setInstant(TENANTS, id, field, next);
  });
}
