import { randomUUID } from 'node:crypto';
import type { Counter } from './counts.ts';

/** A kind of object whose number is limited per tenant. */
interface BoundedKind {
  readonly things: string;
  readonly counter: Exclude<Counter, 'free_keys' | 'paid_keys_created' | 'federation_bytes'>;
  readonly most: number;
  readonly path: string;
  /** Returns a body for a request that creates an object. */
  readonly body: () => object;
  /** The request that removes an object: its method, and the suffix after the object's path. */
  readonly end: readonly [method: string, suffix: string];
}

/** All kinds of objects whose number is limited per tenant. */
export const BOUNDED: readonly BoundedKind[] = [
  {
    things: 'live keys',
    counter: 'keys',
    most: 10_000,
    path: '/v1/keys',
    body: () => ({ name: randomUUID(), tier: 'wrapped' }),
    end: ['POST', '/destroy'],
  },
  {
    things: 'live API keys',
    counter: 'api_keys',
    most: 1_000,
    path: '/v1/api-keys',
    body: () => ({ name: randomUUID() }),
    end: ['DELETE', ''],
  },
  {
    things: 'containers',
    counter: 'containers',
    most: 100,
    path: '/v1/containers',
    body: () => ({ name: randomUUID() }),
    end: ['DELETE', ''],
  },
  {
    things: 'firewalls',
    counter: 'firewalls',
    most: 1_000,
    path: '/v1/firewalls',
    body: () => ({ name: randomUUID(), allowed_ips: ['192.0.2.1'] }),
    end: ['DELETE', ''],
  },
];
