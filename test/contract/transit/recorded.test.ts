/*
 * Requests of programs that are not run here, as their sources write them: method, path, headers and body. The answers are
 * held to what those sources read of them.
 */
import { describe, expect, inject, test } from 'vitest';
import { sendRaw } from '../../support/raw.ts';
import { makeTenant } from '../../support/tenant.ts';
import { dataOf, textOf } from '../../support/transit.ts';

const stack = inject('stack');
const { api, createKey } = await makeTenant(stack);
const [id] = await Promise.all([createKey('wrapped', 'sops'), createKey('software', 'autounseal')]);

/** What Go's client (hashicorp/vault/api, request.go and client.go) sends: no content type, and `X-Vault-Request`. */
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

describe('recorded from the sources, not run: SOPS (hcvault/keysource.go)', () => {
  test('its data key is encrypted and decrypted', async () => {
    const plaintext = Buffer.alloc(32, 7).toString('base64');
    const made = await fromGo('PUT /v1/transit/encrypt/sops', { plaintext });
    expect(made.status).toBe(200);
    const opened = await fromGo('PUT /v1/transit/decrypt/sops', { ciphertext: textOf(made, 'ciphertext') });
    expect(dataOf(opened)).toEqual({ plaintext });
  });
});

describe('recorded from the sources, not run: go-kms-wrapping (wrappers/transit), which unseals Vault, OpenBao and Boundary', () => {
  test('renewing the token at the start is answered with what its watcher ends quietly on', async () => {
    const { status, body } = await fromGo('PUT /v1/auth/token/renew-self', { increment: 0 });
    expect([status, body]).toMatchObject([200, { auth: { renewable: false, lease_duration: 0 } }]);
  });

  test('the byte that it encrypts at the start gives a ciphertext of three parts, the second of which is the version', async () => {
    const made = await fromGo('PUT /v1/transit/encrypt/autounseal', { plaintext: 'YQ==' });
    const ciphertext = textOf(made, 'ciphertext');
    const [vault, version, sealed, ...more] = ciphertext.split(':');
    expect([vault, version, more]).toEqual(['vault', 'v1', []]);
    expect(Buffer.from(String(sealed), 'base64').toString('base64')).toBe(sealed);
    expect(dataOf(await fromGo('PUT /v1/transit/decrypt/autounseal', { ciphertext }))).toEqual({ plaintext: 'YQ==' });
  });
});

describe('recorded from the sources, not run: Terraform’s provider, with skip_child_token', () => {
  test('it looks its token up', async () => {
    expect((await fromGo('GET /v1/auth/token/lookup-self')).status).toBe(200);
  });

  test('vault_transit_encrypt names what nobody has set, and vault_transit_decrypt opens what it made', async () => {
    const unset = { context: '', key_version: 0, iv: '' };
    const made = await fromGo('PUT /v1/transit/encrypt/sops', { plaintext: 'Zm9v', ...unset });
    const ciphertext = textOf(made, 'ciphertext');
    expect(dataOf(await fromGo('PUT /v1/transit/decrypt/sops', { ciphertext, context: '' }))).toEqual({
      plaintext: 'Zm9v',
    });
  });
});

describe('recorded from the sources, not run: Vault’s command line', () => {
  test('write -f sends null, and numbers as text', async () => {
    expect((await fromGo('PUT /v1/transit/keys/autounseal/rotate', null)).status).toBe(200);
    expect((await fromGo('PUT /v1/transit/datakey/wrapped/autounseal', { bits: '128' })).status).toBe(200);
  });

  test('list asks by GET', async () => {
    expect(dataOf(await fromGo('GET /v1/transit/keys?list=true')).keys).toContain('sops');
    expect(dataOf(await fromGo('GET /v1/transit/keys/sops'))).toMatchObject({ id });
  });
});
