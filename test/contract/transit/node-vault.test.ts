import { randomUUID } from 'node:crypto';
import vault from 'node-vault';
import { beforeAll, expect, inject, test } from 'vitest';
import { randomBase64 } from '../../support/operations.ts';
import { type Client, makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');
let api: Client;
let client: ReturnType<typeof vault>;
beforeAll(async () => {
  ({ api } = await makeTenant(stack));
  // Without `noCustomHTTPVerbs`, node-vault lists with the method `LIST`, which Node's HTTP parser does not know.
  client = vault({ endpoint: stack.baseUrl, token: api.token ?? '', noCustomHTTPVerbs: true });
});

test('node-vault creates, reads, lists and rotates a key', async () => {
  const name = randomUUID();
  expect((await client.transitCreateKey({ name, type: 'aes256-gcm96' })).data).toMatchObject({
    name,
    latest_version: 1,
  });
  expect((await client.transitReadKey({ name })).data).toMatchObject({ name, supports_encryption: true });
  expect((await client.list('transit/keys')).data.keys).toContain(name);
  expect((await client.write(`transit/keys/${name}/rotate`, {})).data).toMatchObject({ latest_version: 2 });
});

test('node-vault encrypts, rewraps and decrypts a value and a batch', async () => {
  const name = randomUUID();
  await client.transitCreateKey({ name });
  const plaintext = randomBase64(32);
  const { ciphertext } = (await client.encryptData({ name, plaintext })).data;
  const rewrapped = await client.rewrapData({ name, ciphertext });
  expect((await client.decryptData({ name, ciphertext: rewrapped.data.ciphertext })).data).toEqual({ plaintext });
  const sealed = await client.write(`transit/encrypt/${name}`, { batch_input: [{ plaintext }, { plaintext }] });
  const opened = await client.write(`transit/decrypt/${name}`, { batch_input: sealed.data.batch_results });
  expect(opened.data.batch_results).toEqual([{ plaintext }, { plaintext }]);
});

test('node-vault makes a data key', async () => {
  const name = randomUUID();
  await client.transitCreateKey({ name });
  const { plaintext, ciphertext } = (await client.write(`transit/datakey/plaintext/${name}`, { bits: 256 })).data;
  expect((await client.decryptData({ name, ciphertext })).data).toEqual({ plaintext });
});

test('node-vault throws an error with the code and the message of a refusal', async () => {
  const unknown = client.encryptData({ name: randomUUID(), plaintext: 'AAAA' });
  await expect(unknown).rejects.toMatchObject({
    message: 'not_found: encryption key not found',
    response: { statusCode: 404 },
  });
  const clientWithoutAccess = vault({ endpoint: stack.baseUrl, token: 's.stranger' });
  await expect(clientWithoutAccess.tokenLookupSelf()).rejects.toThrow('unauthorized: missing or invalid credentials');
});

test('node-vault looks up and renews its token', async () => {
  expect((await client.tokenLookupSelf()).data).toMatchObject({ id: api.token, renewable: false, ttl: 0 });
  const { auth } = await client.tokenRenewSelf();
  expect(auth).toMatchObject({ client_token: api.token, renewable: false, lease_duration: 0 });
});
