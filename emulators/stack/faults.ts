import { type Fault, type FaultProxy, type ProxyTarget, startFaultProxy } from './fault-proxy.ts';
import type { Ports } from './ports.ts';

/** The parts that the service reaches through a proxy. */
export const PROXIED_PARTS = ['kms', 'pdp', 'idp', 'stripe', 'firestore'] as const;
export type ProxiedPart = (typeof PROXIED_PARTS)[number];

/** The fault of each part, and that of writing audit rows, which Firestore refuses then. */
export interface Faults extends Record<ProxiedPart, Fault> {
  audit_rows: 'down' | null;
}

/** No fault anywhere. */
export const NO_FAULTS: Faults = { kms: null, pdp: null, idp: null, stripe: null, firestore: null, audit_rows: null };

/** The proxy of each part. */
export type Proxies = Record<ProxiedPart, FaultProxy>;

/** Starts a proxy for each part. `firestore` is its host:port, as it may run anywhere. */
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

/** Stops every proxy, which resets its connections. */
export async function stopProxies(proxies: Proxies): Promise<void> {
  await Promise.all(Object.values(proxies).map((proxy) => proxy.stop()));
}

/** The server at host:port. */
export function targetOf(address: string): ProxyTarget {
  const colon = address.lastIndexOf(':');
  return { host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
}
