import { type Fault, type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import type { Ports } from './ports.ts';

/** The parts that the service reaches through a proxy. */
export const proxiedParts = ['kms', 'pdp', 'idp', 'stripe', 'firestore'] as const;
export type ProxiedPart = (typeof proxiedParts)[number];

/** One fault per part, and the audit rows', which the service makes itself. */
export type Faults = Record<ProxiedPart, Fault> & { audit_rows: 'down' | null };

/** No fault anywhere. */
export const noFaults: Faults = { kms: null, pdp: null, idp: null, stripe: null, firestore: null, audit_rows: null };

/** A proxy before each part. */
export type Proxies = Record<ProxiedPart, FaultProxy>;

/** Starts one proxy before each part. Firestore may be anywhere, given as host:port. */
export async function startProxies(ports: Ports, firestore: string): Promise<Proxies> {
  const firestorePort = firestore.lastIndexOf(':');
  const [kms, pdp, idp, stripe, store] = await Promise.all([
    startFaultProxy({ host: '127.0.0.1', port: ports.kms }),
    startFaultProxy({ host: '127.0.0.1', port: ports.policy }),
    startFaultProxy({ host: '127.0.0.1', port: ports.identity }),
    startFaultProxy({ host: '127.0.0.1', port: ports.stripe }),
    startFaultProxy({ host: firestore.slice(0, firestorePort), port: Number(firestore.slice(firestorePort + 1)) }),
  ]);
  return { kms, pdp, idp, stripe, firestore: store };
}

/** Cuts every connection and stops. */
export async function stopProxies(proxies: Proxies): Promise<void> {
  await Promise.all(Object.values(proxies).map((proxy) => proxy.stop()));
}
