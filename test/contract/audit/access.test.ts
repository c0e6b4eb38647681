import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { eventsOfKey, inWords, keyEventsOfTenant } from '../../support/audit.ts';
import { outcome, text } from '../../support/client.ts';
import { eventObject, read } from '../../support/objects.ts';
import { makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
let tenant: Tenant;

beforeAll(async () => {
  tenant = await makeTenant(stack);
});

describe('the audit log of a key', () => {
  test('the audit log of a key stays readable while the key is pending deletion and after the key is destroyed', async () => {
    const key = await tenant.createKey('software');
    await tenant.api.send('DELETE', `/v1/keys/${key}`);
    expect(inWords(await eventsOfKey(tenant.api, key))).toEqual(['create_key', 'delete_key']);
    await tenant.console.send('POST', `/v1/keys/${key}/destroy`);
    for (const client of [tenant.api, tenant.console]) {
      expect(inWords(await eventsOfKey(client, key))).toEqual(['create_key', 'delete_key', 'destroy_key']);
    }
  });

  test('an API key with a key list can read only the audit logs of the keys on its list, including destroyed keys', async () => {
    const [listed, unlisted] = [await tenant.createKey('software'), await tenant.createKey('software')];
    const { client } = await tenant.mint({ key_ids: [listed] });
    const ask = async (id: string) => outcome(await client.send('GET', `/v1/keys/${id}/audit`));
    expect([await ask(listed), await ask(unlisted), await ask(randomUUID())]).toEqual([
      '200',
      '403 key_not_allowed',
      '403 key_not_allowed',
    ]);
    await tenant.console.send('POST', `/v1/keys/${listed}/destroy`);
    expect(await ask(listed)).toBe('200');
  });

  test('an API key gets 404 for the audit log of a live or destroyed key in another container', async () => {
    const container = text(await tenant.console.send('POST', '/v1/containers', { name: randomUUID() }), 'id');
    const body = { name: randomUUID(), tier: 'software', container_id: container };
    const key = text(await tenant.console.send('POST', '/v1/keys', body), 'id');
    const path = `/v1/keys/${key}/audit`;
    const { client: insider } = await tenant.mint({ container_id: container });
    const outcomes = async () => {
      const answers = [tenant.api, insider, tenant.console].map((client) => client.send('GET', path));
      return (await Promise.all(answers)).map(outcome);
    };
    expect(await outcomes()).toEqual(['404 not_found', '200', '200']);
    await tenant.console.send('POST', `/v1/keys/${key}/destroy`);
    expect(await outcomes()).toEqual(['404 not_found', '200', '200']);
  });

  test('a request for the audit log of another tenant’s key or of an unknown key gets 404', async () => {
    const otherTenant = await makeTenant(stack);
    const foreignKey = await otherTenant.createKey('software');
    for (const client of [tenant.api, tenant.console]) {
      for (const id of [foreignKey, randomUUID(), 'not-a-uuid']) {
        expect(outcome(await client.send('GET', `/v1/keys/${id}/audit`))).toBe('404 not_found');
      }
    }
    await otherTenant.console.send('POST', `/v1/keys/${foreignKey}/destroy`);
    expect(outcome(await tenant.console.send('GET', `/v1/keys/${foreignKey}/audit`))).toBe('404 not_found');
  });
});

describe('the audit log of the tenant', () => {
  test('the tenant’s audit log has the events of its keys in every container, newest first', async () => {
    const owner = await makeTenant(stack);
    const container = text(await owner.console.send('POST', '/v1/containers', { name: 'other' }), 'id');
    const first = await owner.createKey('software');
    const body = { name: 'second', tier: 'software', container_id: container };
    const second = text(await owner.console.send('POST', '/v1/keys', body), 'id');
    await owner.api.send('POST', `/v1/keys/${first}/wrap`, {});
    await owner.console.send('DELETE', `/v1/keys/${second}`);
    const events = await keyEventsOfTenant(owner.console);
    expect(events.map(({ operation, key_id }) => [operation, key_id])).toEqual([
      ['delete_key', second],
      ['wrap', first],
      ['create_key', second],
      ['create_key', first],
    ]);
  });

  describe('filters', () => {
    let owner: Tenant;
    let times: string[];
    const select = async (query: string) =>
      inWords(read(z.array(eventObject), await owner.console.send('GET', `/v1/audit${query}`)));

    beforeAll(async () => {
      owner = await makeTenant(stack);
      const key = await owner.createKey('wrapped');
      await owner.api.send('POST', `/v1/keys/${key}/wrap`, {});
      await owner.api.send('POST', `/v1/keys/${key}/wrap`, { dek: 'AAAA' });
      await owner.api.send('POST', `/v1/keys/${key}/restore`);
      await owner.api.send('POST', '/v1/keys', { name: '', tier: 'wrapped' });
      times = (await keyEventsOfTenant(owner.console)).map(({ ts }) => ts).toReversed();
    });

    test('events can be filtered by operation, by result and by both', async () => {
      expect(await select('?operation=wrap')).toEqual(['wrap', 'wrap invalid_dek_length']);
      expect(await select('?result=success')).toEqual(['create_api_key', 'create_key', 'wrap']);
      const errors = ['wrap invalid_dek_length', 'restore_key not_pending_deletion', 'create_key invalid_name'];
      expect(await select('?result=error')).toEqual(errors);
      expect(await select('?operation=create_key&result=error')).toEqual(['create_key invalid_name']);
      expect(await select('?operation=unwrap')).toEqual([]);
    });

    test('the filters operation and result can be combined with since, until and limit', async () => {
      expect(await select(`?since=${times[2]}`)).toHaveLength(3);
      expect(await select(`?operation=wrap&since=${times[2]}`)).toEqual(['wrap invalid_dek_length']);
      expect(await select(`?operation=wrap&result=success&until=${times[2]}`)).toEqual(['wrap']);
      expect(await select(`?result=success&until=${times[1]}`)).toEqual(['create_api_key', 'create_key']);
      expect(await select('?limit=1')).toEqual(['create_key invalid_name']);
      expect(await select('?result=error&limit=2')).toHaveLength(2);
    });

    test.each([
      ...['?operation=', '?operation=paint', '?operation=ENCRYPT', '?operation=create', '?result=', '?result=failed'],
      ...['?operation=wrap&operation=wrap', '?result=error&result=success', '?limit=0', '?since=now', '?until=%zz'],
    ])('a request for the audit log with the query %s gets 400 invalid_query', async (query) => {
      expect(outcome(await owner.console.send('GET', `/v1/audit${query}`))).toBe('400 invalid_query');
    });

    test('a request for the audit log may have unknown query parameters, which are ignored', async () => {
      expect(await select('?colour=red')).toHaveLength(6);
    });
  });
});
