import type { TenantId } from '../base/ids.ts';

export function roundRobin<Item extends { readonly tenant_id: TenantId }>(items: readonly Item[]): Item[] {
  const taken = new Map<TenantId, number>();
  const withTurns = items.map((item) => {
    const turn = taken.get(item.tenant_id) ?? 0;
    taken.set(item.tenant_id, turn + 1);
    return { item, turn };
  });
  return withTurns.sort((one, other) => one.turn - other.turn).map(({ item }) => item);
}
