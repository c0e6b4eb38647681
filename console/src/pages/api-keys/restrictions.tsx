import type { ApiKey, Firewall } from '../../../../client/src/index.ts';
import { shortened } from '../../parts/id.tsx';
import { Name } from '../../parts/name.tsx';
import { API_KEYS } from '../../words.ts';

interface RestrictionsProps {
  readonly of: ApiKey;
  readonly firewalls: readonly Firewall[];
}

export function Restrictions({ of: { key_ids, firewall_id }, firewalls }: RestrictionsProps) {
  const wall = firewalls.find(({ id }) => id === firewall_id);
  const words = [
    ...(key_ids === null ? [] : [API_KEYS.onlyKeys(key_ids.length)]),
    ...(firewall_id === null ? [] : [wall?.name ?? shortened(firewall_id)]),
  ];
  return (
    <span class="name">
      <Name text={words.join(' · ') || API_KEYS.unrestricted} />
    </span>
  );
}
