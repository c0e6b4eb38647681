import { isDeepStrictEqual } from 'node:util';
import { FIREWALLS } from '../../shared/tenancy/firewall.ts';
import { changeFirewall } from '../../shared/tenancy/firewalls.ts';
import { type LineOf, type PlanChange, recording } from './change.ts';

export function tightening({ tenant_id, target_id: id, allowed_ips }: LineOf<'firewall tightened'>): PlanChange {
  return async (services) => {
    const firewall = await services.store.find(FIREWALLS, id);
    if (firewall?.tenant_id !== tenant_id) return 'not in the store';
    if (isDeepStrictEqual(firewall.allowed_ips, allowed_ips)) return 'already so';
    const record = recording(services, tenant_id, 'update_firewall');
    return () => changeFirewall(services, tenant_id, id, { networks: allowed_ips }, record);
  };
}
