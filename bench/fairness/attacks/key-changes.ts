import type { Attack } from '../attack.ts';
import { again, every, sideBySide } from '../pace.ts';

const IN_PARALLEL = 80;
const KEYS = 40;

const rotate = (token: string, key: string) => ({ method: 'POST', path: `/v1/keys/${key}/rotate`, token });

/** Takes the turns, and the emulated Firestore's locks, of one key. */
export const rotationsOfOneKey: Attack = {
  name: 'rotations of one key',
  sends: `${IN_PARALLEL} rotations of one \`free\` key at a time, again and again`,
  async prepare({ tenant, url, stopped, send }) {
    const key = await tenant.createKey(url, 'free');
    return () => again(stopped, () => sideBySide(IN_PARALLEL, () => send(rotate(tenant.apiKey, key))));
  },
};

/** Takes the places for changes of keys. */
export const rotationsOfManyKeys: Attack = {
  name: 'rotations of many keys',
  sends: `${IN_PARALLEL} rotations of ${KEYS} \`wrapped\` keys at a time, again and again`,
  async prepare({ tenant, url, stopped, send }) {
    const keys = await sideBySide(KEYS, () => tenant.createKey(url, 'wrapped'));
    const one = (n: number) => send(rotate(tenant.apiKey, keys[n % KEYS] ?? ''));
    return () => again(stopped, () => sideBySide(IN_PARALLEL, one));
  },
};

/** Takes the KMS's quota of writes. */
export const writesOfTheKms: Attack = {
  name: 'writes of the KMS',
  sends: 'a rotation of one `software` key every 100 ms, where the KMS takes 100 writes a minute',
  // One key is not rotated fast enough to use them up at once.
  lasts: 4,
  async prepare({ tenant, url, stopped, send }) {
    const key = await tenant.createKey(url, 'software');
    return () => every(100, stopped, () => send(rotate(tenant.apiKey, key)));
  },
};
