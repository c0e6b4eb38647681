import { randomUUID } from 'node:crypto';
import { Client } from '@litehex/node-vault';
import { beforeAll, expect, inject, test } from 'vitest';
import { randomBase64 } from '../../support/operations.ts';
import { makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');
const mountPath = 'transit';

let transit: Client['transit'];
beforeAll(async () => {
  const { api } = await makeTenant(stack);
  transit = new Client({ endpoint: stack.baseUrl, token: api.token ?? '' }).transit;
});

test('@litehex/node-vault creates a key twice, reads it and rotates it', async () => {
  const [name, type] = [randomUUID(), 'aes256-gcm96'] as const;
  expect(await transit.createKey({ mountPath, name, type })).toMatchObject({ data: { data: { name } } });
  // Its schema of answers has no list of warnings, so it reads no answer with a warning unless it is told to.
  const again = await transit.createKey({ mountPath, name, type }, { strictSchema: false });
  expect(again).toMatchObject({ data: { data: { name }, warnings: [`key ${name} already existed`] } });
  expect(await transit.readKey({ mountPath, name })).toMatchObject({ data: { data: { name, latest_version: 1 } } });
  expect(await transit.rotateKey({ mountPath, name })).toMatchObject({ data: { data: { latest_version: 2 } } });
});

test('@litehex/node-vault encrypts, rewraps and decrypts a value, and makes a data key', async () => {
  const name = randomUUID();
  await transit.createKey({ mountPath, name });
  const plaintext = randomBase64(32);
  const sealed = await transit.encrypt({ mountPath, name, plaintext });
  const ciphertext = sealed.data?.data.ciphertext ?? '';
  const rewrapped = await transit.rewrap({ mountPath, name, ciphertext });
  for (const each of [ciphertext, rewrapped.data?.data.ciphertext ?? '']) {
    expect(await transit.decrypt({ mountPath, name, ciphertext: each })).toMatchObject({
      data: { data: { plaintext } },
    });
  }
  const key = await transit.generateDataKey({ mountPath, name, type: 'plaintext', bits: 256 });
  expect(key).toMatchObject({ data: { data: { ciphertext: expect.stringMatching(/^vault:v1:/) } } });
});

test('@litehex/node-vault returns the code and message of a refusal', async () => {
  const refused = await transit.encrypt({ mountPath, name: randomUUID(), plaintext: 'AAAA' });
  expect(refused.error?.message).toBe('not_found: encryption key not found');
});
