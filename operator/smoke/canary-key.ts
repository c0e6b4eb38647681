import { z } from 'zod';
import { expectBody, type Send } from './api.ts';

const NAME = 'smoke-test';

const key = z.object({ id: z.string(), name: z.string(), state: z.string() });
type Key = z.output<typeof key>;

/** The key with which the smoke test encrypts. */
interface CanaryKey {
  readonly id: string;
  /** Undoes what `openCanaryKey` did. */
  cleanUp(): Promise<void>;
}

/**
 * Finds the canary's key, restores it if it is pending deletion, or creates it. With `keep`, `cleanUp` leaves the key
 * for later runs, so that several runs can use the key at the same time.
 */
export async function openCanaryKey(send: Send, apiKey: string, keep: boolean): Promise<CanaryKey> {
  const found = await findKey(send, apiKey);
  const active = found?.state === 'active';
  const { id } = active ? found : await makeActive(send, apiKey, found);
  return {
    id,
    async cleanUp() {
      if (keep || active) return;
      expectBody(await send('DELETE', `/v1/keys/${id}`, { apiKey }), 200, key);
    },
  };
}

async function findKey(send: Send, apiKey: string): Promise<Key | undefined> {
  const keys = expectBody(await send('GET', '/v1/keys', { apiKey }), 200, z.array(key));
  return keys.find(({ name }) => name === NAME);
}

async function makeActive(send: Send, apiKey: string, found: Key | undefined): Promise<Key> {
  if (found !== undefined) return expectBody(await send('POST', `/v1/keys/${found.id}/restore`, { apiKey }), 200, key);
  return expectBody(await send('POST', '/v1/keys', { apiKey, body: { name: NAME, tier: 'free' } }), 201, key);
}
