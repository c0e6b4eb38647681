import { randomUUID } from 'node:crypto';
import { beforeAll, expect, inject, test } from 'vitest';
import { eventsOfKey, inWords } from '../../support/audit.ts';
import { randomBase64 } from '../../support/operations.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { type Client, makeTenant, type Tenant } from '../../support/tenant.ts';
import { dataOf, textOf, transit } from '../../support/transit.ts';

const stack = inject('stack');
const VALUE = randomBase64(60);
const AAD = randomBase64(20);

let tenant: Tenant;
let api: Client;
let name: string;
beforeAll(async () => {
  tenant = await makeTenant(stack);
  ({ api } = tenant);
  name = randomUUID();
  await tenant.createKey('software', name);
});

const warningsOf = (answer: { readonly body: unknown }): unknown => Object(answer.body).warnings;

/** Breaks text into lines, as the program `base64` and PEM files do. */
function inLines(text: string, lineBreak = '\n'): string {
  return `${text.replace(/.{20}/g, (line) => `${line}${lineBreak}`)}${lineBreak}`;
}

test.each([{}, { tier: 'wrapped' }, { type: 'aes256-gcm96' }])(
  'creating an active key again with %j answers 200 with a warning and the key, and records nothing',
  async (body) => {
    const again = randomUUID();
    const id = await tenant.createKey('wrapped', again);
    const answer = await transit(api, `POST /keys/${again}`, body);
    expect(answer.status).toBe(200);
    expect(warningsOf(answer)).toEqual([`key ${again} already existed`]);
    expect(dataOf(answer)).toEqual(dataOf(await transit(api, `GET /keys/${again}`)));
    expect(inWords(await eventsOfKey(api, id))).toEqual(['create_key']);
  },
);

test('creating a key again with another tier, or while it is pending deletion, gets 409 key_exists', async () => {
  const again = randomUUID();
  const id = await tenant.createKey('wrapped', again);
  expectRefusal(await transit(api, `POST /keys/${again}`, { tier: 'software' }), '409 key_exists');
  await api.send('DELETE', `/v1/keys/${id}`);
  for (const body of [{}, { tier: 'wrapped' }]) {
    expectRefusal(await transit(api, `POST /keys/${again}`, body), '409 key_exists');
  }
});

test('an Ansible playbook that creates a key and encrypts, with the requests of community.hashi_vault, can be run twice', async () => {
  const play = randomUUID();
  const headers = { 'X-Vault-Request': 'true' };
  for (const warnings of [null, [`key ${play} already existed`]]) {
    expect((await transit(api, 'GET /auth/token/lookup-self', undefined, { headers })).status).toBe(200);
    const made = await transit(api, `PUT /keys/${play}`, { type: 'aes256-gcm96' }, { headers });
    expect([made.status, warningsOf(made)]).toEqual([200, warnings]);
    const sealed = await transit(api, `PUT /encrypt/${play}`, { plaintext: VALUE }, { headers });
    const { ciphertext } = dataOf(sealed);
    const opened = await transit(api, `PUT /decrypt/${play}`, { ciphertext }, { headers });
    expect(dataOf(opened)).toEqual({ plaintext: VALUE });
  }
});

test.each(['\n', '\r\n', '\r'])(
  'line breaks %j are skipped in plaintext, associated_data and ciphertext',
  async (lineBreak) => {
    const sealed = await transit(api, `POST /encrypt/${name}`, {
      plaintext: inLines(VALUE, lineBreak),
      associated_data: inLines(AAD, lineBreak),
    });
    const [prefix = '', base64 = ''] = textOf(sealed, 'ciphertext').split(/(?<=^vault:v1:)/);
    const ciphertext = prefix + inLines(base64, lineBreak);
    const values = { ciphertext, associated_data: inLines(AAD, lineBreak) };
    expect(dataOf(await transit(api, `POST /decrypt/${name}`, values))).toEqual({ plaintext: VALUE });
    expect((await transit(api, `POST /rewrap/${name}`, values)).status).toBe(200);
    const key = await transit(api, `POST /datakey/plaintext/${name}`, { associated_data: inLines(AAD, lineBreak) });
    const wrapped = { ciphertext: textOf(key, 'ciphertext'), associated_data: AAD };
    expect(dataOf(await transit(api, `POST /decrypt/${name}`, wrapped))).toEqual({
      plaintext: textOf(key, 'plaintext'),
    });
  },
);

test('line breaks before or in the prefix of a ciphertext, and other white space, are refused', async () => {
  const ciphertext = textOf(await transit(api, `POST /encrypt/${name}`, { plaintext: VALUE }), 'ciphertext');
  for (const text of [`\n${ciphertext}`, ciphertext.replace('v1', 'v\n1')]) {
    expectRefusal(await transit(api, `POST /decrypt/${name}`, { ciphertext: text }), '400 invalid_ciphertext');
  }
  expectRefusal(await transit(api, `POST /decrypt/${name}`, { ciphertext: `${ciphertext} ` }), '400 invalid_base64');
  expectRefusal(await transit(api, `POST /encrypt/${name}`, { plaintext: `${VALUE}\t` }), '400 invalid_base64');
});

test('native routes refuse line breaks in base64', async () => {
  const id = String(dataOf(await transit(api, `GET /keys/${name}`)).id);
  const answer = await api.send('POST', `/v1/keys/${id}/encrypt`, { plaintext: inLines(VALUE) });
  expectRefusal(answer, '400 invalid_base64');
});

test('a batch item’s reference is returned with its result or error', async () => {
  const batch_input = [
    { plaintext: VALUE, reference: 'one' },
    { plaintext: '%', reference: 'two' },
    { plaintext: VALUE },
  ];
  const { batch_results } = dataOf(await transit(api, `POST /encrypt/${name}`, { batch_input }));
  expect(batch_results).toEqual([
    { ciphertext: expect.any(String), key_version: 1, reference: 'one' },
    { error: expect.stringMatching(/^invalid_base64: /), reference: 'two' },
    { ciphertext: expect.any(String), key_version: 1 },
  ]);
});

test('a reference that is not a string fails only its item', async () => {
  const batch_input = [
    { plaintext: VALUE, reference: 1 },
    { plaintext: VALUE, reference: null },
  ];
  const { batch_results } = dataOf(await transit(api, `POST /encrypt/${name}`, { batch_input }));
  expect(batch_results).toEqual([
    { error: expect.stringMatching(/^invalid_request: .*reference/) },
    { ciphertext: expect.any(String), key_version: 1 },
  ]);
});

test('encrypt accepts the type of every key, in a value and in a batch', async () => {
  const value = { plaintext: VALUE, type: 'aes256-gcm96' };
  for (const body of [value, { batch_input: [value] }, { batch_input: [{ plaintext: VALUE }], type: value.type }]) {
    expect((await transit(api, `POST /encrypt/${name}`, body)).status).toBe(200);
  }
});

test('unknown fields of a request and of batch items are ignored and named once in the warnings', async () => {
  const fields = { plaintext: VALUE, asociated_data: AAD };
  expect(warningsOf(await transit(api, `POST /encrypt/${name}`, fields))).toEqual([
    'unknown field, ignored: asociated_data',
  ]);
  const batch = await transit(api, `POST /encrypt/${name}`, { extra: 1, batch_input: [fields, fields] });
  expect(warningsOf(batch)).toEqual(['unknown field, ignored: extra', 'unknown field, ignored: asociated_data']);
  expect(warningsOf(await transit(api, `POST /datakey/wrapped/${name}`, { extra: 1 }))).toEqual([
    'unknown field, ignored: extra',
  ]);
  expect(warningsOf(await transit(api, `POST /keys/${randomUUID()}`, { extra: 1 }))).toEqual([
    'unknown field, ignored: extra',
  ]);
  expect(warningsOf(await transit(api, `POST /keys/${name}/rotate`, { extra: 1 }))).toEqual([
    'unknown field, ignored: extra',
  ]);
});

test('at most 20 unknown fields are named, each with at most 64 characters', async () => {
  const names = Array.from({ length: 30 }, (_, n) => `${String(n).padStart(2, '0')}${'😀'.repeat(80)}`);
  const fields = Object.fromEntries(names.map((field) => [field, 1]));
  const warnings = warningsOf(await transit(api, `POST /encrypt/${name}`, { plaintext: VALUE, ...fields }));
  const expected = names.slice(0, 20).map((field) => `unknown field, ignored: ${[...field].slice(0, 64).join('')}`);
  expect(warnings).toEqual(expected);
});

test('every Transit answer has the mount_type transit', async () => {
  const calls = [`GET /keys/${name}`, 'GET /keys?list=true', 'GET /auth/token/lookup-self'];
  for (const call of calls) expect((await transit(api, call)).body).toMatchObject({ mount_type: 'transit' });
  const made = await transit(api, `POST /encrypt/${name}`, { plaintext: VALUE });
  expect(made.body).toMatchObject({ mount_type: 'transit' });
});
