/*
 * Sends requests as other programs send them according to their source code, and checks the parts of the answers that
 * these programs read.
 */
import { beforeAll, expect, inject, test } from 'vitest';
import { sendRaw } from '../../support/raw.ts';
import { type Client, makeTenant } from '../../support/tenant.ts';
import { dataOf, textOf } from '../../support/transit.ts';

const stack = inject('stack');
let api: Client;
/** The id of the key `sops`. */
let id: string;
beforeAll(async () => {
  const { createKey, ...tenant } = await makeTenant(stack);
  ({ api } = tenant);
  [id] = await Promise.all([createKey('wrapped', 'sops'), createKey('software', 'autounseal')]);
});

/**
 * Sends a request as Go's client does (hashicorp/vault/api, request.go and client.go): without a content type, and with
 * the header `X-Vault-Request`.
 */
function fromGo(start: string, body?: unknown) {
  const json = body === undefined ? '' : JSON.stringify(body);
  const headers = [
    'user-agent: Go-http-client/1.1',
    `x-vault-token: ${api.token}`,
    'x-vault-request: true',
    'accept-encoding: gzip',
    ...(body === undefined ? [] : [`content-length: ${Buffer.byteLength(json)}`]),
  ];
  return sendRaw(stack, start, headers, json);
}

test('SOPS can encrypt and decrypt its data key', async () => {
  const plaintext = Buffer.alloc(32, 7).toString('base64');
  const made = await fromGo('PUT /v1/transit/encrypt/sops', { plaintext });
  expect(made.status).toBe(200);
  const opened = await fromGo('PUT /v1/transit/decrypt/sops', { ciphertext: textOf(made, 'ciphertext') });
  expect(dataOf(opened)).toEqual({ plaintext });
});

test('go-kms-wrapping, which unseals Vault, OpenBao and Boundary, reads that its token is not renewable, so its token watcher ends without an error', async () => {
  const { status, body } = await fromGo('PUT /v1/auth/token/renew-self', { increment: 0 });
  expect([status, body]).toMatchObject([200, { auth: { renewable: false, lease_duration: 0 } }]);
});

test('go-kms-wrapping gets a ciphertext of three parts, the second of which is the version', async () => {
  const made = await fromGo('PUT /v1/transit/encrypt/autounseal', { plaintext: 'YQ==' });
  const ciphertext = textOf(made, 'ciphertext');
  const [vault, version, sealed, ...more] = ciphertext.split(':');
  expect([vault, version, more]).toEqual(['vault', 'v1', []]);
  expect(Buffer.from(String(sealed), 'base64').toString('base64')).toBe(sealed);
  expect(dataOf(await fromGo('PUT /v1/transit/decrypt/autounseal', { ciphertext }))).toEqual({ plaintext: 'YQ==' });
});

test('Terraform’s provider can look up its token', async () => {
  expect((await fromGo('GET /v1/auth/token/lookup-self')).status).toBe(200);
});

test('Terraform’s vault_transit_encrypt may send unset fields, and vault_transit_decrypt decrypts its ciphertext', async () => {
  const unset = { context: '', key_version: 0, iv: '' };
  const made = await fromGo('PUT /v1/transit/encrypt/sops', { plaintext: 'Zm9v', ...unset });
  const ciphertext = textOf(made, 'ciphertext');
  expect(dataOf(await fromGo('PUT /v1/transit/decrypt/sops', { ciphertext, context: '' }))).toEqual({
    plaintext: 'Zm9v',
  });
});

test('vault write -f works, although it sends null as the body and numbers as text', async () => {
  expect((await fromGo('PUT /v1/transit/keys/autounseal/rotate', null)).status).toBe(200);
  expect((await fromGo('PUT /v1/transit/datakey/wrapped/autounseal', { bits: '128' })).status).toBe(200);
});

test('vault list works with GET', async () => {
  expect(dataOf(await fromGo('GET /v1/transit/keys?list=true')).keys).toContain('sops');
  expect(dataOf(await fromGo('GET /v1/transit/keys/sops'))).toMatchObject({ id });
});
