import { createServer } from 'node:net';
import type { Flavour } from './service-environment.ts';
import { StartError } from './start-error.ts';

/** How many ports are kept for functions. */
const functionPorts = 10;

/** The service's port when none is chosen; every other port keeps its distance from it. */
export const defaultPort = 8080;

/** The stack's fixed ports, all on 127.0.0.1. */
export type Ports = {
  readonly service: number;
  readonly firestore: number;
  readonly kms: number;
  readonly identity: number;
  readonly stripe: number;
  readonly control: number;
  /** The first of those that the functions have behind the gateway. */
  readonly functions: number;
  readonly policy: number;
  readonly policyGrpc: number;
};

/** The ports of a stack whose service listens on `port`. Throws {@link RangeError} where one would not be a port. */
export function portsFrom(port: number): Ports {
  const shift = port - defaultPort;
  const ports = {
    service: port,
    firestore: 8085 + shift,
    kms: 8086 + shift,
    identity: 8087 + shift,
    stripe: 8088 + shift,
    control: 8089 + shift,
    functions: 8090 + shift,
    policy: 3592 + shift,
    policyGrpc: 3593 + shift,
  };
  if (!Number.isInteger(port) || ports.policy < 1 || ports.functions + functionPorts > 65_536) {
    throw new RangeError(`a port from ${defaultPort - 3591} to ${65_536 - 10 - functionPorts} is needed`);
  }
  return ports;
}

/** The ports of the stack whose service is there. */
export function portsOf({ baseUrl }: { readonly baseUrl: string }): Ports {
  return portsFrom(Number(new URL(baseUrl).port));
}

/** The ports that a stack of this flavour listens on, with what to call them. */
export function portsToHold(
  ports: Ports,
  flavour: Flavour & { ownFirestore: boolean; deployed?: boolean },
): { port: number; part: string }[] {
  return [
    { port: ports.service, part: 'service' },
    ...(flavour.ownFirestore ? [{ port: ports.firestore, part: 'Firestore' }] : []),
    { port: ports.kms, part: 'KMS' },
    ...(flavour.console ? [{ port: ports.identity, part: 'identity provider' }] : []),
    ...(flavour.billing ? [{ port: ports.stripe, part: 'Stripe' }] : []),
    { port: ports.control, part: 'control' },
    ...(flavour.deployed ? functionPortsOf(ports) : []),
    { port: ports.policy, part: 'policy decision point' },
    { port: ports.policyGrpc, part: 'policy decision point' },
  ];
}

function functionPortsOf({ functions }: Ports): { port: number; part: string }[] {
  return Array.from({ length: functionPorts }, (_, at) => ({ port: functions + at, part: 'functions' }));
}

/** Throws {@link StartError}, naming port and part, when one of the ports cannot be had. */
export async function refusePortsInUse(wanted: readonly { port: number; part: string }[]): Promise<void> {
  for (const { port, part } of wanted) {
    const error = await bindError(port);
    if (error?.code === 'EADDRINUSE') {
      throw new StartError(`port ${port} (${part}) is in use; stop what holds it or start with --port N`);
    }
    if (error !== undefined) throw new StartError(`port ${port} (${part}) cannot be used: ${error.message}`);
  }
}

function bindError(port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', resolve);
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(undefined)));
  });
}
