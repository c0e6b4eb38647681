import { createServer } from 'node:net';
import { StartError } from '../base/start-error.ts';
import type { Flavour } from './stack.ts';

const FUNCTION_PORTS = 11;

/** The service's default port. All other ports keep a fixed distance from it. */
export const DEFAULT_PORT = 8080;

export interface Ports {
  readonly service: number;
  readonly firestore: number;
  readonly kms: number;
  readonly identity: number;
  readonly workloads: number;
  readonly stripe: number;
  readonly control: number;
  readonly console: number;
  /** The first of the {@link FUNCTION_PORTS} consecutive ports for functions. */
  readonly functions: number;
  readonly policy: number;
  readonly policyGrpc: number;
}

interface PortUse {
  readonly port: number;
  readonly part: string;
}

interface Listening extends Flavour {
  readonly ownFirestore: boolean;
  readonly deployed?: boolean;
}

/**
 * Returns the ports of a stack whose service has this port. Throws {@link RangeError} if one of them is out of range.
 */
export function portsFrom(port: number): Ports {
  const shift = port - DEFAULT_PORT;
  const ports = {
    service: port,
    firestore: 8085 + shift,
    kms: 8086 + shift,
    identity: 8087 + shift,
    workloads: 8084 + shift,
    stripe: 8088 + shift,
    control: 8089 + shift,
    console: 5173 + shift,
    functions: 8090 + shift,
    policy: 3592 + shift,
    policyGrpc: 3593 + shift,
  };
  if (!Number.isInteger(port) || ports.policy < 1 || ports.functions + FUNCTION_PORTS > 65_536) {
    throw new RangeError(`choose a port from ${DEFAULT_PORT - 3591} to ${65_536 - 10 - FUNCTION_PORTS}`);
  }
  return ports;
}

export function portsOf({ baseUrl }: { readonly baseUrl: string }): Ports {
  return portsFrom(Number(new URL(baseUrl).port));
}

/** Returns the console's origin, the only origin that the service's CORS settings allow. */
export function consoleOriginOf({ console }: Pick<Ports, 'console'>): string {
  return `http://localhost:${console}`;
}

/** Returns the stack's issuer of ID tokens for workloads. */
export function workloadIssuerOf({ workloads }: Pick<Ports, 'workloads'>): string {
  return `http://127.0.0.1:${workloads}`;
}

export function portsToHold(ports: Ports, listening: Listening): PortUse[] {
  return [
    { port: ports.service, part: 'service' },
    ...(listening.ownFirestore ? [{ port: ports.firestore, part: 'Firestore' }] : []),
    { port: ports.kms, part: 'KMS' },
    ...(listening.console ? [{ port: ports.identity, part: 'identity provider' }] : []),
    { port: ports.workloads, part: 'workload issuer' },
    ...(listening.console ? [{ port: ports.console, part: 'console' }] : []),
    ...(listening.billing ? [{ port: ports.stripe, part: 'Stripe' }] : []),
    { port: ports.control, part: 'control' },
    ...(listening.deployed ? functionPortsOf(ports) : []),
    { port: ports.policy, part: 'policy decision point' },
    { port: ports.policyGrpc, part: 'policy decision point' },
  ];
}

/** Returns the ports of the functions. They are in use only with `--deployed`. */
export function functionPortsOf({ functions }: Ports): PortUse[] {
  return Array.from({ length: FUNCTION_PORTS }, (_, at) => ({ port: functions + at, part: 'functions' }));
}

/** Checks that the ports can be used. Throws {@link StartError} if a port is taken or not allowed. */
export async function refusePortsInUse(wanted: readonly PortUse[]): Promise<void> {
  for (const { port, part } of wanted) {
    // Browsers may open the console at ::1. A machine without IPv6 gives another error than EADDRINUSE.
    const onIpv6 = part === 'console' ? await bindError(port, '::1') : undefined;
    const error = onIpv6?.code === 'EADDRINUSE' ? onIpv6 : await bindError(port, '127.0.0.1');
    if (error?.code === 'EADDRINUSE') {
      throw new StartError(`Port ${port} (${part}) is in use. Stop the program that uses it, or start with --port N`);
    }
    if (error !== undefined) throw new StartError(`Cannot listen on port ${port} (${part}): ${error.message}`);
  }
}

function bindError(port: number, host: string): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', resolve);
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(undefined)));
  });
}
