import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { parseId } from '../../../shared/base/ids.ts';
import { type CipherServices, decrypt, encrypt } from '../../../shared/keys/cipher.ts';
import { KEYS, type Key } from '../../../shared/keys/key.ts';
import { make } from '../../../shared/keys/renewal.ts';
import { openInProcess } from '../../support/in-process.ts';
import { encrypt as encryptValue } from '../../support/operations.ts';
import { type SecondService, signInSettings, startSecondService } from '../../support/second-service.ts';
import { makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');
/**
 * A process without a wrapped root, so that it calls the KMS to encrypt with a `wrapped` key. Such a key retains only
 * one version. Billing is off.
 */
let service: SecondService;
beforeAll(async () => {
  service = await startSecondService(stack, { ...signInSettings(stack), WRAPPED_ROOT: '' });
});
afterAll(() => service.stop());

const DATA = Buffer.from('data');
const NO_AAD = Buffer.alloc(0);

/** Starts an operation by reading its key. Returns a function that runs the next step of the operation. */
async function startOperation(
  id: string,
  step: (services: CipherServices, key: Key) => Promise<Buffer>,
): Promise<() => Promise<Buffer>> {
  const { services } = openInProcess(stack, { WRAPPED_ROOT: undefined });
  const key: Key | undefined = await services.store.find(KEYS, parseId(id) ?? '');
  if (key === undefined) throw new Error('there is no such key');
  return () => step(services, key);
}

const sealing = async (services: CipherServices, key: Key) => {
  const lastRead = { key, age: services.startStopwatch() };
  const { result } = await make(services, lastRead, (latest) => encrypt(services, latest, DATA, NO_AAD));
  return result.ciphertext;
};

test('an operation fails with not_found if its key is destroyed while the operation runs', async () => {
  const { api, console, createKey } = await makeTenant(service, 'none');
  const id = await createKey('software');
  const ciphertext = Buffer.from(await encryptValue(api, id, 'AAAA'), 'base64');
  const opening = async (services: CipherServices, key: Key) =>
    (await decrypt(services, key, ciphertext, NO_AAD)).plaintext;
  const steps = [sealing, opening];
  const waiting = await Promise.all(steps.map((step) => startOperation(id, step)));
  expect((await console.send('POST', `/v1/keys/${id}/destroy`)).status).toBe(204);
  for (const step of waiting) await expect(step()).rejects.toMatchObject({ code: 'not_found' });
});
