import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client as LitehexClient } from '@litehex/node-vault';
import vault from 'node-vault';
import { beforeAll, expect, inject, test } from 'vitest';
import { ROOT } from '../../sources.ts';
import { randomBase64 } from '../../support/operations.ts';
import { findPythonWithHvac } from '../../support/programs.ts';
import { sendRaw } from '../../support/raw.ts';
import { type Client, makeTenant } from '../../support/tenant.ts';
import { dataOf, textOf } from '../../support/transit.ts';

const stack = inject('stack');
const run = promisify(execFile);
const python = findPythonWithHvac();
const mountPath = 'transit';

let api: Client;
let nodeVault: ReturnType<typeof vault>;
let litehex: LitehexClient['transit'];
/** The id of the key `sops`. */
let id: string;
beforeAll(async () => {
  const { createKey, ...tenant } = await makeTenant(stack);
  ({ api } = tenant);
  [id] = await Promise.all([createKey('wrapped', 'sops'), createKey('software', 'autounseal')]);
  const at = { endpoint: stack.baseUrl, token: api.token ?? '' };
  // Without `noCustomHTTPVerbs`, node-vault lists with the method `LIST`, which Node's HTTP parser does not know.
  nodeVault = vault({ ...at, noCustomHTTPVerbs: true });
  litehex = new LitehexClient(at).transit;
});

test.skipIf(python === undefined)(
  'hvac creates, rotates and reads keys, encrypts, rewraps and decrypts, and reports the errors of the service',
  async () => {
    const env = { ...process.env, VAULT_ADDR: stack.baseUrl, VAULT_TOKEN: api.token };
    const program = fileURLToPath(new URL('with_hvac.py', import.meta.url));
    expect((await run(python ?? '', [program], { env })).stdout).toBe('done\n');
  },
);

test('node-vault creates, reads, lists and rotates a key, and looks up and renews its token', async () => {
  const name = randomUUID();
  const created = await nodeVault.transitCreateKey({ name, type: 'aes256-gcm96' });
  expect(created.data).toMatchObject({ name, latest_version: 1 });
  expect((await nodeVault.transitReadKey({ name })).data).toMatchObject({ name, supports_encryption: true });
  expect((await nodeVault.list('transit/keys')).data.keys).toContain(name);
  expect((await nodeVault.write(`transit/keys/${name}/rotate`, {})).data).toMatchObject({ latest_version: 2 });
  expect((await nodeVault.tokenLookupSelf()).data).toMatchObject({ id: api.token, renewable: false, ttl: 0 });
  const { auth } = await nodeVault.tokenRenewSelf();
  expect(auth).toMatchObject({ client_token: api.token, renewable: false, lease_duration: 0 });
});

test('node-vault encrypts, rewraps and decrypts a value and a batch, and makes a data key', async () => {
  const name = randomUUID();
  await nodeVault.transitCreateKey({ name });
  const plaintext = randomBase64(32);
  const { ciphertext } = (await nodeVault.encryptData({ name, plaintext })).data;
  const rewrapped = await nodeVault.rewrapData({ name, ciphertext });
  expect((await nodeVault.decryptData({ name, ciphertext: rewrapped.data.ciphertext })).data).toEqual({ plaintext });
  const sealed = await nodeVault.write(`transit/encrypt/${name}`, { batch_input: [{ plaintext }, { plaintext }] });
  const opened = await nodeVault.write(`transit/decrypt/${name}`, { batch_input: sealed.data.batch_results });
  expect(opened.data.batch_results).toEqual([{ plaintext }, { plaintext }]);
  const dataKey = (await nodeVault.write(`transit/datakey/plaintext/${name}`, { bits: 256 })).data;
  expect((await nodeVault.decryptData({ name, ciphertext: dataKey.ciphertext })).data).toEqual({
    plaintext: dataKey.plaintext,
  });
});

test('node-vault throws an error with the code and the message of a refusal', async () => {
  await expect(nodeVault.encryptData({ name: randomUUID(), plaintext: 'AAAA' })).rejects.toMatchObject({
    message: 'not_found: encryption key not found',
    response: { statusCode: 404 },
  });
  const stranger = vault({ endpoint: stack.baseUrl, token: 's.stranger' });
  await expect(stranger.tokenLookupSelf()).rejects.toThrow('unauthorized: missing or invalid credentials');
});

test('@litehex/node-vault creates a key twice, reads it and rotates it', async () => {
  const [name, type] = [randomUUID(), 'aes256-gcm96'] as const;
  expect(await litehex.createKey({ mountPath, name, type })).toMatchObject({ data: { data: { name } } });
  // Its schema of answers has no list of warnings, so it reads no answer with a warning unless it is told to.
  const again = await litehex.createKey({ mountPath, name, type }, { strictSchema: false });
  expect(again).toMatchObject({ data: { data: { name }, warnings: [`key ${name} already existed`] } });
  expect(await litehex.readKey({ mountPath, name })).toMatchObject({ data: { data: { name, latest_version: 1 } } });
  expect(await litehex.rotateKey({ mountPath, name })).toMatchObject({ data: { data: { latest_version: 2 } } });
});

test('@litehex/node-vault encrypts, rewraps and decrypts a value, makes a data key, and returns a refusal', async () => {
  const name = randomUUID();
  await litehex.createKey({ mountPath, name });
  const plaintext = randomBase64(32);
  const ciphertext = (await litehex.encrypt({ mountPath, name, plaintext })).data?.data.ciphertext ?? '';
  const rewrapped = (await litehex.rewrap({ mountPath, name, ciphertext })).data?.data.ciphertext ?? '';
  for (const each of [ciphertext, rewrapped]) {
    const opened = await litehex.decrypt({ mountPath, name, ciphertext: each });
    expect(opened).toMatchObject({ data: { data: { plaintext } } });
  }
  const dataKey = await litehex.generateDataKey({ mountPath, name, type: 'plaintext', bits: 256 });
  expect(dataKey).toMatchObject({ data: { data: { ciphertext: expect.stringMatching(/^vault:v1:/) } } });
  const refused = await litehex.encrypt({ mountPath, name: randomUUID(), plaintext: 'AAAA' });
  expect(refused.error?.message).toBe('not_found: encryption key not found');
});

/**
 * Sends a request as Go's client does (hashicorp/vault/api, request.go and client.go): without a content type, and with
 * the header `X-Vault-Request`. The tests below send what programs send according to their source code, and check the
 * parts of the answers that the programs read.
 */
function fromGo(start: string, body?: unknown) {
  const json = body === undefined ? '' : JSON.stringify(body);
  const headers = [
    ...['user-agent: Go-http-client/1.1', `x-vault-token: ${api.token}`, 'x-vault-request: true'],
    ...['accept-encoding: gzip', ...(body === undefined ? [] : [`content-length: ${Buffer.byteLength(json)}`])],
  ];
  return sendRaw(stack, start, headers, json);
}

test.each([
  ['SOPS (hcvault/keysource.go)', 'sops', { plaintext: Buffer.alloc(32, 7).toString('base64') }],
  [
    'go-kms-wrapping (wrappers/transit), which unseals Vault, OpenBao and Boundary',
    'autounseal',
    { plaintext: 'YQ==' },
  ],
  ['Terraform’s provider, with unset fields', 'sops', { plaintext: 'Zm9v', context: '', key_version: 0, iv: '' }],
])('%s can encrypt and decrypt, and reads a ciphertext of three parts', async (_, name, { plaintext, ...unset }) => {
  const made = await fromGo(`PUT /v1/transit/encrypt/${name}`, { plaintext, ...unset });
  expect(made.status).toBe(200);
  const ciphertext = textOf(made, 'ciphertext');
  const [mount, version, sealed = '', ...more] = ciphertext.split(':');
  expect([mount, version, more]).toEqual(['vault', 'v1', []]);
  expect(Buffer.from(sealed, 'base64').toString('base64')).toBe(sealed);
  const opened = await fromGo(`PUT /v1/transit/decrypt/${name}`, {
    ciphertext,
    ...('context' in unset && { context: '' }),
  });
  expect(dataOf(opened)).toEqual({ plaintext });
});

test('the token watcher of go-kms-wrapping ends without an error, because its token is not renewable, and Terraform’s provider can look up its token', async () => {
  const { status, body } = await fromGo('PUT /v1/auth/token/renew-self', { increment: 0 });
  expect([status, body]).toMatchObject([200, { auth: { renewable: false, lease_duration: 0 } }]);
  expect((await fromGo('GET /v1/auth/token/lookup-self')).status).toBe(200);
});

test('vault write -f works, although it sends null as the body and numbers as text, and vault list works with GET', async () => {
  expect((await fromGo('PUT /v1/transit/datakey/wrapped/autounseal', { bits: '128' })).status).toBe(200);
  expect(dataOf(await fromGo('GET /v1/transit/keys?list=true')).keys).toContain('sops');
  expect(dataOf(await fromGo('GET /v1/transit/keys/sops'))).toMatchObject({ id });
  expect((await fromGo('PUT /v1/transit/keys/autounseal/rotate', null)).status).toBe(200);
});

/** Returns the code blocks of a section of a page, with the addresses of the test's stack. */
function blocksOf(section: string, name = 'integrations'): string[] {
  const page = readFileSync(join(ROOT, `docs/${name}.md`), 'utf8');
  const [text = ''] = new RegExp(`^##+ ${section}\n.*?(?=^##+ |$(?![^]))`, 'ms').exec(page) ?? [];
  return [...text.matchAll(/^```(?:sh|js|python)\n(.*?)^```$/gms)].map(([, block = '']) =>
    block.replaceAll('http://127.0.0.1:8080', stack.baseUrl).replaceAll('http://127.0.0.1:8089', stack.controlUrl),
  );
}

test('the settings of docs/transit.md create a key and encrypt with curl', async () => {
  const [block = ''] = blocksOf('Settings', 'transit');
  // All tests share the stack's demo tenant.
  const name = randomUUID();
  const { stdout } = await run('bash', ['--norc', '-euo', 'pipefail', '-c', block.replaceAll('orders', name)]);
  expect(stdout).toContain(`"name":"${name}"`);
  expect(stdout).toContain('"ciphertext":"vault:v1:');
});

test.for([
  ['node-vault', 'js'],
  ['@litehex/node-vault', 'js'],
  ['hvac', 'python'],
] as const)('the recipe of docs/integrations.md for %s runs', async ([client, language], { skip }) => {
  skip(language === 'python' && python === undefined, 'hvac is not installed');
  const [block = ''] = blocksOf(client);
  expect(block).toContain(client);
  const { api: own } = await makeTenant(stack);
  if (language === 'python') await run(python ?? '', ['-c', `token = '${own.token}'\n${block}`]);
  else {
    const args = ['--input-type=module', '--eval', `const token = '${own.token}';\n${block}`];
    await run(process.execPath, args, { cwd: ROOT });
  }
});
