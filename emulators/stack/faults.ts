import { type Fault, type FaultProxy, type ProxyTarget, startFaultProxy } from './fault-proxy.ts';
import type { Ports } from './ports.ts';

export const PROXIED_PARTS = ['kms', 'pdp', 'idp', 'stripe', 'firestore'] as const;
export type ProxiedPart = (typeof PROXIED_PARTS)[number];

/** The faults of all parts. With `audit_rows`, Firestore refuses commits of audit rows. */
export interface Faults extends Record<ProxiedPart, Fault> {
  audit_rows: 'down' | null;
}

export const NO_FAULTS: Faults = { kms: null, pdp: null, idp: null, stripe: null, firestore: null, audit_rows: null };

export type Proxies = Record<ProxiedPart, FaultProxy>;

/**
 * Starts the fault proxies. `firestore` is a `host:port` and not a port, because Firestore can run on another machine.
 */
export async function startProxies(ports: Ports, firestore: string): Promise<Proxies> {
  const [kms, pdp, idp, stripe, store] = await Promise.all([
    startFaultProxy({ host: '127.0.0.1', port: ports.kms }),
    startFaultProxy({ host: '127.0.0.1', port: ports.policy }),
    startFaultProxy({ host: '127.0.0.1', port: ports.identity }),
    startFaultProxy({ host: '127.0.0.1', port: ports.stripe }),
    startFaultProxy(targetOf(firestore)),
  ]);
  return { kms, pdp, idp, stripe, firestore: store };
}

export async function stopProxies(proxies: Proxies): Promise<void> {
  await Promise.all(Object.values(proxies).map((proxy) => proxy.stop()));
}

export function targetOf(address: string): ProxyTarget {
  const colon = address.lastIndexOf(':');
  return { host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
}
