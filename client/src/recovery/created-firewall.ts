import type { Call, Recovery } from '../http/recovery.ts';
import type { Body } from '../types.ts';

/** Finds the firewall with the requested name and networks. */
export function createdFirewall({
  name,
  container_id,
  allowed_ips,
}: Body<'create_firewall'>): Recovery<'create_firewall'> {
  // A copy, because the caller may change the list during the call.
  const wanted = [allowed_ips].flat();
  return {
    codeIfDone: 'firewall_exists',
    find: async (call) => {
      const container = container_id ?? (await defaultContainer(call));
      const firewalls = await call('list_firewalls', {});
      const found = firewalls.find((one) => one.name === name && one.container_id === container?.toLowerCase());
      const isSame = found !== undefined && networks(found.allowed_ips) === networks(wanted);
      return isSame ? { answer: found } : undefined;
    },
  };
}

async function defaultContainer(call: Call): Promise<string | undefined> {
  const containers = await call('list_containers', {});
  return containers.find((one) => one.is_default)?.id;
}

function networks(list: readonly string[]): string {
  return [...new Set(list.map(canonical))].toSorted().join();
}

/** Converts a network to the service's format: an address always has a length, and IPv6 is written as in RFC 5952. */
function canonical(network: string): string {
  const [address = '', length] = network.split('/');
  const host = `[${address}]`;
  if (!URL.canParse(`http://${host}`)) return `${address}/${length ?? 32}`;
  return `${new URL(`http://${host}`).hostname.slice(1, -1)}/${length ?? 128}`;
}
