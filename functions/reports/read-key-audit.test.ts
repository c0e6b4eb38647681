import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { eventsOfKey, inWords } from '../../test/support/audit.ts';
import { outcome } from '../../test/support/client.ts';
import { operation, test } from '../../test/support/operation.ts';
import { readClock } from '../../test/support/steer.ts';

operation(
  {
    call: 'GET /v1/keys/{id}/audit',
    credential: 'either',
    roles: ['owner', 'admin', 'auditor'],
    good: '200',
    readsDestroyed: true,
    query: ['since', 'until', 'limit', 'cursor'],
    refuses: [['400 invalid_query', { query: '?limit=0' }]],
    dependencies: ['firestore'],
    request: async ({ createKey }, tier) => ({ id: await createKey(tier) }),
  },
  () => {
    test('an event has the caller, the request and its result, and only these', async ({ stack, tenant }) => {
      const key = await tenant.createKey('wrapped');
      const request_id = `test.${randomUUID()}`;
      const before = await readClock(stack);
      await tenant.api.send('POST', `/v1/keys/${key}/wrap`, {}, { headers: { 'x-request-id': request_id } });
      const [event] = await eventsOfKey(tenant.api, key);
      const { ts = '', ...rest } = event ?? {};
      expect(rest).toEqual({
        ...{ id: expect.stringMatching(/^[0-9a-f]{8}-/), operation: 'wrap', result: 'success', error_code: null },
        ...{ request_id, key_id: key, api_key_id: tenant.apiKeyId, user_id: null, target_id: null },
        ...{ workload: null, changes: null },
      });
      const times = [before, ts, await readClock(stack)];
      expect(times).toEqual(times.toSorted());
    });

    test('later events have later times and come first, also if their request ids are invalid or the same', async ({
      tenant: { api, createKey },
    }) => {
      const key = await createKey('wrapped');
      const answered: unknown[] = [];
      const made = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      for (const id of ['has space', 'x'.repeat(129), 'same', 'same']) {
        const answer = await api.send('POST', `/v1/keys/${key}/wrap`, {}, { headers: { 'x-request-id': id } });
        answered.unshift(answer.headers.get('x-request-id'));
      }
      const events = (await eventsOfKey(api, key)).slice(0, 4);
      expect(events.map(({ request_id }) => request_id)).toEqual(answered);
      expect(answered).toEqual(['same', 'same', made, made]);
      const times = events.map(({ ts }) => ts);
      expect(times).toEqual([...new Set(times)].toSorted().toReversed());
    });

    test('the audit log of a key stays readable while it is pending deletion and after it is destroyed, also with a key list', async ({
      tenant: { api, console, createKey, mint },
    }) => {
      const key = await createKey('software');
      const { client: listed } = await mint({ key_ids: [key] });
      await api.send('DELETE', `/v1/keys/${key}`);
      expect(inWords(await eventsOfKey(api, key))).toEqual(['create_key', 'delete_key']);
      await console.send('POST', `/v1/keys/${key}/destroy`);
      for (const client of [api, console, listed]) {
        expect(inWords(await eventsOfKey(client, key))).toEqual(['create_key', 'delete_key', 'destroy_key']);
      }
      expect(outcome(await listed.send('GET', `/v1/keys/${randomUUID()}/audit`))).toBe('403 key_not_allowed');
    });
  },
);
