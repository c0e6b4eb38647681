import type { Attack } from '../attack.ts';
import { atInterval, inParallel, repeat } from '../pace.ts';

const IN_PARALLEL = 80;
const KEYS = 40;

const rotate = (token: string, key: string) => ({ method: 'POST', path: `/v1/keys/${key}/rotate`, token });

/**
 * Changes one key concurrently, so that the changes compete for the key's serial queue and for its locks in the
 * Firestore emulator.
 */
export const rotationsOfOneKey: Attack = {
  name: 'rotations of one key',
  sends: `batches of ${IN_PARALLEL} simultaneous rotations of one \`free\` key`,
  async prepare({ tenant, url, stopped, send }) {
    const key = await tenant.createKey(url, 'free');
    return () => repeat(stopped, () => inParallel(IN_PARALLEL, () => send(rotate(tenant.apiKey, key))));
  },
};

/** Tries to exhaust the concurrency limit of key changes. */
export const rotationsOfManyKeys: Attack = {
  name: 'rotations of many keys',
  sends: `batches of ${IN_PARALLEL} simultaneous rotations of ${KEYS} \`wrapped\` keys`,
  async prepare({ tenant, url, stopped, send }) {
    const keys = await inParallel(KEYS, () => tenant.createKey(url, 'wrapped'));
    const one = (n: number) => send(rotate(tenant.apiKey, keys[n % KEYS] ?? ''));
    return () => repeat(stopped, () => inParallel(IN_PARALLEL, one));
  },
};

/** Tries to exhaust the KMS's write quota. */
export const writesOfTheKms: Attack = {
  name: 'writes of the KMS',
  sends: 'a rotation of one `software` key every 100 ms, while the KMS accepts only 100 writes a minute',
  // Rotations run one after another, so they need more time than usual to exhaust the quota.
  durationFactor: 4,
  async prepare({ tenant, url, stopped, send }) {
    const key = await tenant.createKey(url, 'software');
    return () => atInterval(100, stopped, () => send(rotate(tenant.apiKey, key)));
  },
};
