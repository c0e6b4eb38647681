import { describe, expect, test, vi } from 'vitest';
import { parseId } from '../../shared/base/ids.ts';
import { readConfig } from '../../shared/config.ts';
import { loadKms } from '../../shared/crypto/load-kms.ts';
import { seal } from '../../shared/crypto/seal.ts';
import { makeEnv } from '../../shared/env.ts';
import { KEYS, type Key } from '../../shared/keys/key.ts';
import { operate } from '../support/operations.ts';
import { ownStack } from '../support/own-stack.ts';
import { serviceSettings } from '../support/second-service.ts';
import { makeTenant } from '../support/tenant.ts';

/** Without a wrapped root every key is a CryptoKey, those among them that retain one version. */
const stack = ownStack('--no-wrapped-root');
const DATA = Buffer.from('data');
const NO_AAD = Buffer.alloc(0);

/** A key as an operation has read it, and the operation's next step, which something may overtake. */
async function underWay(id: string): Promise<() => Promise<Buffer>> {
  const { WRAPPED_ROOT: _, ...settings } = serviceSettings(stack);
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  const { env } = makeEnv(readConfig(settings), { kms: loadKms });
  const key: Key | undefined = await env.store.find(KEYS, parseId(id) ?? '');
  if (key === undefined) throw new Error('there is no such key');
  return () => seal(env, key, DATA, NO_AAD);
}

describe('an operation that is under way while its key', () => {
  test('is destroyed finds no key', async () => {
    const { console, createKey } = await makeTenant(stack);
    const id = await createKey('software');
    const sealing = await underWay(id);
    expect((await console.send('POST', `/v1/keys/${id}/destroy`)).status).toBe(204);
    await expect(sealing()).rejects.toMatchObject({ code: 'not_found' });
  });

  test('is rotated, its version retired, is done under the new one', async () => {
    const { api, createKey } = await makeTenant(stack);
    const id = await createKey('wrapped');
    const sealing = await underWay(id);
    expect((await api.send('POST', `/v1/keys/${id}/rotate`)).status).toBe(200);
    const ciphertext = (await sealing()).toString('base64');
    const opened = await operate(api, id, 'decrypt', { ciphertext });
    expect(opened.body).toEqual({ plaintext: DATA.toString('base64') });
  });
});
