import { randomUUID } from 'node:crypto';
import { expect, inject, test, vi } from 'vitest';
import { USAGE } from '../../../shared/metering/counter.ts';
import { eventsOfKey, inWords } from '../../support/audit.ts';
import { setSubscription } from '../../support/billing.ts';
import { openInProcess, serveInProcess } from '../../support/in-process.ts';
import { randomBase64 } from '../../support/operations.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { ALL_TIERS, Client, makeTenant, type Tenant, type Tier } from '../../support/tenant.ts';
import { codesOf, resultsOf, transit } from '../../support/transit.ts';
import { lineOf, setOpsNow } from '../../support/usage.ts';

const stack = inject('stack');
const PLAIN = { plaintext: 'AAECAw==' };
const batchOf = (count: number) => ({ batch_input: Array.from({ length: count }, () => PLAIN) });
const errorsOf = ({ body }: { readonly body: unknown }) => Object(body).errors;

async function withKey(tier: Tier = 'wrapped') {
  const tenant = await makeTenant(stack);
  const name = randomUUID();
  return { ...tenant, name, keyId: await tenant.createKey(tier, name) };
}

const opsOf = async (client: Client, keyId: string) => (await lineOf(client, keyId)).ops;
const recordedOf = async ({ api }: Pick<Tenant, 'api'>, keyId: string) =>
  inWords(await eventsOfKey(api, keyId)).slice(1);

test.each(ALL_TIERS)(
  'a batch under a %s key has a result for each item, in order, and each item is counted and recorded with the request id',
  async (tier) => {
    const tenant = await withKey(tier);
    const { api, name, keyId } = tenant;
    const plaintexts = Array.from({ length: 7 }, () => randomBase64(20));
    const associated_data = randomBase64(9);
    const items = plaintexts.map((plaintext, at) => ({ plaintext, ...(at % 2 === 0 && { associated_data }) }));
    const headers = { 'x-request-id': randomUUID() };
    const made = await transit(api, `POST /encrypt/${name}`, { batch_input: items }, { headers });
    expect(made.status).toBe(200);
    const sealed = resultsOf(made).map(({ ciphertext }, at) => ({ ...items[at], ciphertext, plaintext: null }));
    const rewrapped = resultsOf(await transit(api, `PUT /rewrap/${name}`, { batch_input: sealed }));
    const again = rewrapped.map(({ ciphertext }, at) => ({ ...sealed[at], ciphertext }));
    const opened = await transit(api, `POST /decrypt/${name}`, { batch_input: again });
    expect(resultsOf(opened)).toEqual(plaintexts.map((plaintext) => ({ plaintext })));
    const events = (await eventsOfKey(api, keyId)).filter(({ operation }) => operation === 'encrypt');
    expect(events.map(({ request_id }) => request_id)).toEqual(Array(7).fill(headers['x-request-id']));
    expect(await opsOf(api, keyId)).toBe(21);
  },
);

test('if some items of a batch fail, each gets its own error, the other items get a result and are counted, and the answer is 200', async () => {
  const tenant = await withKey('wrapped');
  const { api, name, keyId } = tenant;
  const [good] = resultsOf(await transit(api, `POST /encrypt/${name}`, batchOf(1)));
  const ciphertext = String(good?.ciphertext);
  const batch_input = [
    { ciphertext },
    { ciphertext: 'vault:v1:AAAA' },
    {},
    'no object',
    null,
    { ciphertext: 'vault:v1:A' },
    { ciphertext, associated_data: 'AAAA' },
    { ciphertext, associated_data: Buffer.alloc(65_537).toString('base64') },
    { ciphertext, context: 'AAAA' },
    { ciphertext, name: 'ignored', associated_data: null },
  ];
  const answer = await transit(api, `POST /decrypt/${name}`, { batch_input });
  expect(answer.status).toBe(200);
  const codes = [
    ...['ok', 'invalid_ciphertext', 'invalid_request', 'invalid_request', 'invalid_request', 'invalid_base64'],
    ...['invalid_ciphertext', 'payload_too_large', 'invalid_request', 'ok'],
  ];
  expect(codesOf(answer)).toEqual(codes);
  expect(errorsOf(answer)).toBeUndefined();
  const expected = codes
    .filter((code) => code !== 'payload_too_large')
    .map((code) => (code === 'ok' ? 'decrypt' : `decrypt ${code}`));
  expect((await recordedOf(tenant, keyId)).slice(1).sort()).toEqual(expected.sort());
  expect(await opsOf(api, keyId)).toBe(1 + 2);
});

test('if the count of a free key cannot be read, each item of a batch is recorded as failed', async () => {
  const { api, name, keyId } = await withKey('free');
  const { services } = openInProcess(stack, { TRANSIT: 'on' });
  await using server = await serveInProcess(services, stack);
  const read = services.store.read.bind(services.store);
  const reads = vi.spyOn(services.store, 'read');
  reads.mockImplementation((path) =>
    path.startsWith(`${USAGE.name}/`) ? Promise.reject(new Error('lost')) : read(path),
  );
  const answer = await transit(new Client(server, api.token), `POST /encrypt/${name}`, batchOf(3));
  reads.mockRestore();
  expect([answer.status, codesOf(answer)]).toEqual([400, Array(3).fill('internal_error')]);
  expect(await recordedOf({ api }, keyId)).toEqual(Array(3).fill('encrypt internal_error'));
});

test('a batch in which every item fails gets 400, with a result for each item and all errors', async () => {
  const { api, name, keyId } = await withKey();
  const items = [{ ciphertext: 'vault:v1:AAAA' }, { ciphertext: 'x' }];
  const answer = await transit(api, `POST /rewrap/${name}`, { batch_input: items });
  expect(answer.status).toBe(400);
  expect(codesOf(answer)).toEqual(['invalid_ciphertext', 'invalid_ciphertext']);
  expect(errorsOf(answer)).toEqual(resultsOf(answer).map(({ error }) => error));
  expect(await opsOf(api, keyId)).toBe(0);
});

test('items of a batch succeed until a free key reaches its cap, and each further item is refused and recorded', async () => {
  const tenant = await withKey('free');
  const { api, name, keyId } = tenant;
  await setOpsNow(stack, keyId, 9_997);
  const damaged = { plaintext: '*' };
  const answer = await transit(api, `POST /encrypt/${name}`, {
    batch_input: [PLAIN, damaged, PLAIN, PLAIN, PLAIN, PLAIN],
  });
  expect(answer.status).toBe(200);
  expect(codesOf(answer)).toEqual(['ok', 'invalid_base64', 'ok', 'ok', 'ops_cap_reached', 'ops_cap_reached']);
  expect(await opsOf(api, keyId)).toBe(10_000);
  expect((await recordedOf(tenant, keyId)).filter((word) => word === 'encrypt ops_cap_reached')).toHaveLength(2);
  const next = await transit(api, `POST /encrypt/${name}`, batchOf(2));
  expect([next.status, codesOf(next)]).toEqual([400, ['ops_cap_reached', 'ops_cap_reached']]);
});

test.each([
  ['key_pending_deletion', (tenant: Tenant, id: string) => tenant.api.send('DELETE', `/v1/keys/${id}`)],
  ['billing_required', (tenant: Tenant) => setSubscription(stack, tenant.id, 'canceled')],
])(
  'if operations on the key are refused with %s, each item of a batch fails with this error and none is counted',
  async (code, prepare) => {
    const tenant = await withKey();
    const { api, name, keyId } = tenant;
    await prepare(tenant, keyId);
    const answer = await transit(api, `POST /encrypt/${name}`, batchOf(3));
    expect([answer.status, codesOf(answer)]).toEqual([400, [code, code, code]]);
    expect(await opsOf(api, keyId)).toBe(0);
  },
);

test('a batch item’s reference is returned with its result or error, and one that is not a string fails only its item', async () => {
  const { api, name } = await withKey();
  const items = [{ reference: 'one' }, { plaintext: '%', reference: 'two' }, {}, { reference: 1 }, { reference: null }];
  const batch_input = items.map((item) => ({ ...PLAIN, ...item }));
  const result = { ciphertext: expect.any(String), key_version: 1 };
  expect(resultsOf(await transit(api, `POST /encrypt/${name}`, { batch_input }))).toEqual([
    { ...result, reference: 'one' },
    { error: expect.stringMatching(/^invalid_base64: /), reference: 'two' },
    result,
    { error: expect.stringMatching(/^invalid_request: .*reference/) },
    result,
  ]);
});

test.each([
  ...[[], Array(101).fill(PLAIN), 'text', {}, 1].map((batch_input) => ({ batch_input })),
  ...[PLAIN, { associated_data: 'AAAA' }].map((fields) => ({ ...batchOf(1), ...fields })),
])(
  'a batch of no item, of more than 100 or of another type, or beside the fields of a single value, is refused with 400: %j',
  async (body) => {
    const { api, name } = await withKey();
    expectRefusal(await transit(api, `POST /encrypt/${name}`, body), '400 invalid_request');
  },
);
