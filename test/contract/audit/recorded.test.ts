import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { eventsOfKey, inWords } from '../../support/audit.ts';
import { type Answer, outcome } from '../../support/client.ts';
import { bodiesFor, METERED, operate } from '../../support/operations.ts';
import { type Client, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
const JSON_TYPE = { 'content-type': 'application/json' };
const bytes = (words: string) => new Uint8Array(Buffer.from(words));

let tenant: Tenant;
beforeAll(async () => {
  tenant = await makeTenant(stack);
});

/** What the service refuses, a request for the key at `path`, and the audit row that records the request. */
type Case = readonly [what: string, ask: (client: Client, path: string) => Promise<Answer>, row: string];

const REFUSED: readonly Case[] = [
  [
    'a truncated body',
    (api, key) => api.send('POST', `${key}/encrypt`, undefined, { raw: bytes('{'), headers: JSON_TYPE }),
    'encrypt invalid_request',
  ],
  [
    'an empty body',
    (api, key) => api.send('POST', `${key}/wrap`, undefined, { raw: bytes(''), headers: JSON_TYPE }),
    'wrap invalid_request',
  ],
  [
    'a body with the wrong fields',
    (api, key) => api.send('POST', `${key}/unwrap`, { ciphertext: 'AAAA' }),
    'unwrap invalid_request',
  ],
  [
    'an unsupported content type',
    (api, key) => api.send('POST', `${key}/decrypt`, undefined, { raw: bytes('{}') }),
    'decrypt unsupported_media_type',
  ],
  ['malformed base64', (api, key) => api.send('POST', `${key}/rewrap`, { ciphertext: '?' }), 'rewrap invalid_base64'],
  [
    'an empty plaintext',
    (api, key) => api.send('POST', `${key}/encrypt`, { plaintext: '' }),
    'encrypt invalid_request',
  ],
  [
    'a data key of the wrong length',
    (api, key) => api.send('POST', `${key}/wrap`, { dek: 'AAAA' }),
    'wrap invalid_dek_length',
  ],
  [
    'a ciphertext that decrypt cannot decrypt',
    (api, key) => api.send('POST', `${key}/decrypt`, { ciphertext: 'AAAA' }),
    'decrypt invalid_ciphertext',
  ],
  [
    'a wrapped key that unwrap cannot decrypt',
    (api, key) => api.send('POST', `${key}/unwrap`, { wrapped: 'AAAA' }),
    'unwrap invalid_ciphertext',
  ],
  [
    'a ciphertext that rewrap cannot decrypt',
    (api, key) => api.send('POST', `${key}/rewrap`, { ciphertext: 'AAAA' }),
    'rewrap invalid_ciphertext',
  ],
  ['an empty name', (api, key) => api.send('PATCH', key, { name: '' }), 'rename_key invalid_name'],
  ['a rename without a name', (api, key) => api.send('PATCH', key, {}), 'rename_key invalid_request'],
  [
    'a rename with an unsupported content type',
    (api, key) => api.send('PATCH', key, undefined, { raw: bytes('{}') }),
    'rename_key unsupported_media_type',
  ],
];

test.each(REFUSED)('if the service refuses %s, the audit log records the failed operation', async (_, ask, row) => {
  const key = await tenant.createKey('software');
  const answer = await ask(tenant.api, `/v1/keys/${key}`);
  expect(outcome(answer).split(' ')[1]).toBe(row.split(' ')[1]);
  expect(inWords(await eventsOfKey(tenant.console, key))).toEqual(['create_key', row]);
});

test.each([
  ['an API key', 'api'],
  ['a session', 'console'],
] as const)(
  'if %s changes a key, every successful operation on the key is recorded, except a repeated delete',
  async (_, who) => {
    const key = await tenant.createKey('software');
    const path = `/v1/keys/${key}`;
    const steps: readonly (readonly [string, string, unknown?])[] = [
      ['PATCH', path, { name: randomUUID() }],
      ['POST', `${path}/rotate`],
      ['DELETE', path],
      ['DELETE', path],
      ['POST', `${path}/restore`],
    ];
    for (const [method, to, body] of steps) expect((await tenant[who].send(method, to, body)).status).toBe(200);
    const bodies = await bodiesFor(tenant.api, key);
    for (const operation of METERED) await operate(tenant.api, key, operation, bodies[operation]);
    await tenant.console.send('POST', `${path}/destroy`);
    expect(inWords(await eventsOfKey(tenant[who], key))).toEqual([
      'create_key',
      'rename_key',
      'rotate_key',
      'delete_key',
      'restore_key',
      'encrypt',
      'encrypt',
      'decrypt',
      'wrap',
      'unwrap',
      'rewrap',
      'destroy_key',
    ]);
  },
);

/** The routes on a key that need an action, each with a valid body and the operation in its audit row. */
const ACTIONS: readonly (readonly [method: string, suffix: string, operation: string, body?: unknown])[] = [
  ['POST', '/encrypt', 'encrypt', { plaintext: 'AAAA' }],
  ['POST', '/decrypt', 'decrypt', { ciphertext: 'AAAA' }],
  ['POST', '/wrap', 'wrap', {}],
  ['POST', '/unwrap', 'unwrap', { wrapped: 'AAAA' }],
  ['POST', '/rewrap', 'rewrap', { ciphertext: 'AAAA' }],
  ['POST', '/rotate', 'rotate_key'],
  ['PATCH', '', 'rename_key', { name: 'another' }],
  ['DELETE', '', 'delete_key'],
  ['POST', '/restore', 'restore_key'],
];

describe('refusals of the nine operations on a key', () => {
  const requestAll = async (client: Client, key: string) => {
    const outcomes: string[] = [];
    for (const [method, suffix, , body] of ACTIONS) {
      outcomes.push(outcome(await client.send(method, `/v1/keys/${key}${suffix}`, body)));
    }
    return outcomes;
  };

  test('each operation that gets action_not_allowed is recorded as a separate event', async () => {
    const key = await tenant.createKey('software');
    const { client } = await tenant.mint({ allowed_actions: [] });
    expect(new Set(await requestAll(client, key))).toEqual(new Set(['403 action_not_allowed']));
    const rows = ACTIONS.map(([, , operation]) => `${operation} action_not_allowed`);
    expect(inWords(await eventsOfKey(tenant.console, key))).toEqual(['create_key', ...rows]);
  });

  test('each operation that gets key_not_allowed is recorded as a separate event', async () => {
    const key = await tenant.createKey('software');
    const { client } = await tenant.mint({ key_ids: [await tenant.createKey('software')] });
    expect(new Set(await requestAll(client, key))).toEqual(new Set(['403 key_not_allowed']));
    const rows = ACTIONS.map(([, , operation]) => `${operation} key_not_allowed`);
    expect(inWords(await eventsOfKey(tenant.console, key))).toEqual(['create_key', ...rows]);
  });
});
