import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { eventsOfKey, keyEventsOfTenant } from '../../support/audit.ts';
import { setSubscription } from '../../support/billing.ts';
import { outcome } from '../../support/client.ts';
import { operate } from '../../support/operations.ts';
import { readClock } from '../../support/steer.ts';
import { type Client, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

let tenant: Tenant;
let key: string;

beforeAll(async () => {
  tenant = await makeTenant(stack);
  key = await tenant.createKey('wrapped');
});

describe('an audit row', () => {
  test('an audit row has the API key, the request id and the result of a successful request', async () => {
    const id = `test.${randomUUID()}`;
    const headers = { 'x-request-id': id };
    const before = await readClock(stack);
    await tenant.api.send('POST', `/v1/keys/${key}/wrap`, {}, { headers });
    const [row] = await eventsOfKey(tenant.api, key);
    const { ts, ...rest } = row ?? {};
    expect(rest).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-/),
      operation: 'wrap',
      result: 'success',
      error_code: null,
      request_id: id,
      key_id: key,
      api_key_id: tenant.apiKeyId,
      user_id: null,
      target_id: null,
      workload: null,
      changes: null,
    });
    const times = [before, String(ts), await readClock(stack)];
    expect(times).toEqual(times.toSorted());
  });

  test('an audit row has the API key and the error code of a refused request', async () => {
    const { id, client } = await tenant.mint({ allowed_actions: ['decrypt'] });
    await operate(client, key, 'encrypt', { plaintext: 'AAAA' });
    const [row] = await eventsOfKey(tenant.api, key);
    expect(row).toMatchObject({
      operation: 'encrypt',
      result: 'error',
      error_code: 'action_not_allowed',
      api_key_id: id,
    });
  });

  test('the audit row of a request with a session has the id of the user', async () => {
    const me = await tenant.console.send('GET', '/v1/me');
    await tenant.console.send('PATCH', `/v1/keys/${key}`, { name: randomUUID() });
    const [row] = await eventsOfKey(tenant.console, key);
    expect(row).toMatchObject({ operation: 'rename_key', api_key_id: null, user_id: Object(Object(me.body).user).id });
  });

  test('an audit row has a generated request id if the request has no valid request id', async () => {
    for (const headers of [{}, { 'x-request-id': 'has space' }, { 'x-request-id': 'x'.repeat(129) }]) {
      const answer = await tenant.api.send('POST', `/v1/keys/${key}/wrap`, {}, { headers });
      const [row] = await eventsOfKey(tenant.api, key);
      expect(row?.request_id).toBe(answer.headers.get('x-request-id'));
      expect(row?.request_id).toMatch(UUID);
    }
  });

  test('two requests with the same request id leave two audit rows with that id', async () => {
    const headers = { 'x-request-id': randomUUID() };
    await tenant.api.send('POST', `/v1/keys/${key}/wrap`, {}, { headers });
    await tenant.api.send('POST', `/v1/keys/${key}/wrap`, {}, { headers });
    const rows = await eventsOfKey(tenant.api, key);
    expect(rows.filter(({ request_id }) => request_id === headers['x-request-id'])).toHaveLength(2);
  });
});

test('later events have later timestamps, and events are returned newest first', async () => {
  const ids = Array.from({ length: 12 }, () => randomUUID());
  for (const id of ids) await tenant.api.send('POST', `/v1/keys/${key}/wrap`, {}, { headers: { 'x-request-id': id } });
  const rows = (await eventsOfKey(tenant.api, key)).slice(0, 12);
  expect(rows.map(({ request_id }) => request_id)).toEqual(ids.toReversed());
  const times = rows.map(({ ts }) => ts);
  expect(times).toEqual([...new Set(times)].toSorted().toReversed());
});

describe('a failed key creation', () => {
  const create = (client: Client, body: unknown) => client.send('POST', '/v1/keys', body);
  const fresh = () => ({ name: randomUUID(), tier: 'software' });

  test('a failed key creation is recorded with its error code in the tenant’s log, but in no key’s log', async () => {
    const owner = await makeTenant(stack);
    const taken = randomUUID();
    const listedKey = await owner.createKey('software', taken);
    await owner.createKey('free');
    const { client: listed } = await owner.mint({ key_ids: [listedKey] });
    const { client: actionless } = await owner.mint({ allowed_actions: [] });
    const outcomes = [
      await create(listed, fresh()),
      await create(actionless, { name: '', tier: 'gold' }),
      await create(owner.api, { name: '', tier: 'software' }),
      await create(owner.api, { name: randomUUID(), tier: 'gold' }),
      await create(owner.api, { ...fresh(), container_id: randomUUID() }),
      await create(owner.api, { name: taken, tier: 'software' }),
      await create(owner.console, { name: randomUUID(), tier: 'free' }),
    ].map(outcome);
    await setSubscription(stack, owner.id, 'canceled');
    outcomes.push(outcome(await create(owner.api, fresh())));
    expect(outcomes).toEqual([
      '403 key_not_allowed',
      '403 action_not_allowed',
      '400 invalid_name',
      '400 invalid_tier',
      '400 invalid_container',
      '409 key_exists',
      '409 free_key_exists',
      '402 billing_required',
    ]);
    const failures = (await keyEventsOfTenant(owner.console)).filter(({ result }) => result === 'error').toReversed();
    expect(failures.map(({ error_code }) => error_code)).toEqual(outcomes.map((each) => each.split(' ')[1]));
    expect(new Set(failures.map(({ operation }) => operation))).toEqual(new Set(['create_key']));
    expect(new Set(failures.map(({ key_id }) => key_id))).toEqual(new Set([null]));
    expect(await eventsOfKey(owner.console, listedKey)).toHaveLength(1);
  });

  test('a request with an unreadable body to create a key is not recorded', async () => {
    const owner = await makeTenant(stack);
    const raw = new Uint8Array(Buffer.from('{'));
    const outcomes = [
      await owner.api.send('POST', '/v1/keys', undefined, { raw, headers: { 'content-type': 'application/json' } }),
      await owner.api.send('POST', '/v1/keys', undefined, { raw }),
      await create(owner.api, { name: 5, tier: 'software' }),
      await create(owner.api, { ...fresh(), pad: 'x'.repeat(131_072) }),
    ];
    expect(outcomes.map(({ status }) => status)).toEqual([400, 415, 400, 413]);
    expect(await keyEventsOfTenant(owner.console)).toEqual([]);
  });
});
