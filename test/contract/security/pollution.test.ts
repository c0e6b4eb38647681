import { beforeAll, describe, expect, inject, test } from 'vitest';
import { fillPath, type GoodRequest, goodRequests, methodOf, pathOf } from '../../support/cases.ts';
import { type Answer, outcome, send } from '../../support/client.ts';
import { ROUTES } from '../../support/route-table.ts';
import { makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
let tenant: Tenant;
let requests: Readonly<Record<string, GoodRequest>>;
beforeAll(async () => {
  tenant = await makeTenant(stack);
  requests = await goodRequests(tenant);
});

const WITH_BODY = ROUTES.filter(({ body }) => body);
const REFUSE_UNKNOWN_FIELDS = ['PATCH /v1/api-keys/{id}', 'PATCH /v1/firewalls/{id}'];
/** All fields that routes read, with values that would change the answer if a route read them. */
const FIELDS = {
  ...{ name: 'polluted', tier: 'hsm', container_id: 'polluted', allowed_actions: ['encrypt'], key_ids: [] },
  ...{ firewall_id: 'polluted', allowed_ips: ['0.0.0.0/0'], plaintext: 'AAAA', ciphertext: 'AAAA', wrapped: 'AAAA' },
  ...{ dek: '!', aad: '!', message: 'polluted', status: 299, toJSON: 'polluted', length: 1, 0: 'polluted' },
};
const POLLUTION = [
  ['__proto__', `"__proto__":${JSON.stringify(FIELDS)}`],
  ['__proto__ of __proto__', `"__proto__":{"__proto__":${JSON.stringify(FIELDS)}}`],
  ['an escaped __proto__', `"\\u005f_proto__":${JSON.stringify(FIELDS)}`],
  ['constructor.prototype', `"constructor":{"prototype":${JSON.stringify(FIELDS)}}`],
  ['a flat path', `"constructor.prototype.tier":"hsm","__proto__.tier":"hsm","__proto__[tier]":"hsm"`],
] as const;

function ask(call: string, raw: string) {
  const isForSessions = ROUTES.some((row) => row.call === call && ['console', 'newcomer'].includes(row.credential));
  const { token } = isForSessions ? tenant.console : tenant.api;
  // A route that creates a key by name needs a new name each time.
  const id = call.endsWith('/transit/keys/{name}') ? crypto.randomUUID() : (requests[call]?.id ?? '');
  const url = `${stack.baseUrl}${fillPath(pathOf(call), id)}`;
  return send(methodOf(call), url, { token, raw, headers: { 'content-type': 'application/json' } });
}

/** Optional fields must not be read from a prototype. For example, a wrong aad would change the answer. */
describe.each(WITH_BODY)('the body of $call', ({ call, good }) => {
  test.each(POLLUTION)(
    'a valid body with %s added is answered like the body without it, or refused for an unknown field',
    async (_, member) => {
      const { name, ...rest } = Object(requests[call]?.body);
      const fresh = name === undefined ? rest : { ...rest, name: crypto.randomUUID() };
      const members = JSON.stringify(fresh).slice(1, -1);
      const answer = await ask(call, `{${members}${members === '' ? '' : ','}${member}}`);
      expect(outcome(answer)).toBe(REFUSE_UNKNOWN_FIELDS.includes(call) ? '400 invalid_request' : good);
      expect(JSON.stringify(answer.body)).not.toContain('polluted');
    },
  );

  test.each(POLLUTION)(
    'a body with only %s is answered like an empty object, or refused for an unknown field',
    async (_, member) => {
      const empty = await ask(call, '{}');
      const polluted = await ask(call, `{${member}}`);
      if (REFUSE_UNKNOWN_FIELDS.includes(call)) return expect(outcome(polluted)).toBe('400 invalid_request');
      const shown = (answer: Answer) => [outcome(answer), Object(answer.body).message];
      expect(shown(polluted)).toEqual(shown(empty));
    },
  );
});

test.each([
  '__proto__=1&constructor=2&prototype=3&hasOwnProperty=4',
  '__proto__[limit]=1&constructor[prototype][limit]=1&__proto__.limit=1',
])('query parameters do not become object properties: %s', async (query) => {
  const log = `/v1/keys/${requests['GET /v1/keys/{id}']?.id}/audit`;
  for (const path of ['/v1/audit', '/v1/usage', '/v1/usage/daily', log]) {
    expect(outcome(await tenant.console.send('GET', `${path}?${query}`))).toBe('200');
  }
});

test('a repeated __proto__ parameter is refused like any repeated parameter', async () => {
  expect(outcome(await tenant.console.send('GET', '/v1/audit?__proto__=1&__proto__=2'))).toBe('400 invalid_query');
});

test('after requests that try to change prototypes, omitted fields still have their defaults', async () => {
  const minted = await tenant.console.send('POST', '/v1/api-keys', { name: 'plain' });
  expect(minted.body).toMatchObject({ allowed_actions: [], key_ids: null, firewall_id: null });
  expect(outcome(await tenant.api.send('POST', '/v1/keys', { name: 'plain' }))).toBe('400 invalid_request');
  expect((await send('GET', `${stack.baseUrl}/v1/nothing`)).body).not.toHaveProperty('status');
});
