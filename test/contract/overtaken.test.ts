import { describe, expect, test, vi } from 'vitest';
import { parseId } from '../../shared/base/ids.ts';
import { readConfig } from '../../shared/config.ts';
import { loadKms } from '../../shared/crypto/load-kms.ts';
import { open, seal } from '../../shared/crypto/seal.ts';
import { type Env, makeEnv } from '../../shared/env.ts';
import { KEYS, type Key } from '../../shared/keys/key.ts';
import { encrypt, operate } from '../support/operations.ts';
import { ownStack } from '../support/own-stack.ts';
import { serviceSettings } from '../support/second-service.ts';
import { makeTenant } from '../support/tenant.ts';

/** Without a wrapped root every key is a CryptoKey, those among them that retain one version. Billing has no part in it. */
const stack = ownStack('--no-billing', '--no-wrapped-root');
const DATA = Buffer.from('data');
const NO_AAD = Buffer.alloc(0);

/** A key as an operation has read it, and the operation's next step, which something may overtake. */
async function underWay(id: string, step: (env: Env, key: Key) => Promise<Buffer>): Promise<() => Promise<Buffer>> {
  const { WRAPPED_ROOT: _, ...settings } = serviceSettings(stack);
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  const { env } = makeEnv(readConfig(settings), { kms: loadKms });
  const key: Key | undefined = await env.store.find(KEYS, parseId(id) ?? '');
  if (key === undefined) throw new Error('there is no such key');
  return () => step(env, key);
}

const sealing = (env: Env, key: Key) => seal(env, key, DATA, NO_AAD);

describe('an operation that is under way while its key', () => {
  test('is destroyed finds no key', async () => {
    const { api, console, createKey } = await makeTenant(stack, 'none');
    const id = await createKey('software');
    const ciphertext = Buffer.from(await encrypt(api, id, 'AAAA'), 'base64');
    const steps = [sealing, (env: Env, key: Key) => open(env, key, ciphertext, NO_AAD)];
    const waiting = await Promise.all(steps.map((step) => underWay(id, step)));
    expect((await console.send('POST', `/v1/keys/${id}/destroy`)).status).toBe(204);
    for (const step of waiting) await expect(step()).rejects.toMatchObject({ code: 'not_found' });
  });

  test('is rotated, its version retired, is done under the new one', async () => {
    const { api, createKey } = await makeTenant(stack, 'none');
    const id = await createKey('wrapped');
    const step = await underWay(id, sealing);
    expect((await api.send('POST', `/v1/keys/${id}/rotate`)).status).toBe(200);
    const ciphertext = (await step()).toString('base64');
    const opened = await operate(api, id, 'decrypt', { ciphertext });
    expect(opened.body).toEqual({ plaintext: DATA.toString('base64') });
  });
});
