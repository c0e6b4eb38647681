import { describe, expect, test } from 'vitest';
import { OpenApiDocument, openApiRoute } from '../../functions/health/openapi.ts';
import { describeEveryRoute, everyRoute } from '../../functions/routes.ts';
import type { Configured } from '../../shared/http/configured.ts';
import { NATIVE } from '../../shared/http/dialect.ts';
import { OPERATIONS } from '../../shared/operations.ts';
import { asRequest, readSent } from '../shared/http/exchange.ts';

const ALL = { identity: true, billing: true, transit: true, sealing: true };

test('the document is made once, however often and by however many it is asked for', async () => {
  let made = 0;
  const document = new OpenApiDocument(async () => {
    made++;
    return describeEveryRoute(ALL);
  });
  const ask = () => readSent({}, (message) => openApiRoute.respond({ document }, asRequest(message)));
  const [first, second] = await Promise.all([ask(), ask()]);
  expect((await ask()).body).toBe(first?.body);
  expect(second?.body).toBe(first?.body);
  expect(made).toBe(1);
});

test('the document with all configured is the committed one; vitest -u writes it anew', async () => {
  const document = await describeEveryRoute(ALL);
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot('../../docs/openapi.json');
});

test('every recorded operation is the operation of a route, called the same', () => {
  const recorded = everyRoute(ALL)
    .filter(({ dialect }) => dialect === NATIVE)
    .flatMap(({ operation }) => operation ?? []);
  expect(recorded.toSorted()).toEqual(OPERATIONS.toSorted());
});

describe.each([
  {
    without: 'billing',
    configured: { ...ALL, billing: undefined },
    absent: ['billing_required', 'free_key_exists', 'billing_active', 'billing_not_set_up', 'stripe_webhook'],
  },
  {
    without: 'a console',
    configured: { ...ALL, identity: undefined, billing: undefined },
    absent: ['consoleAuth', 'no_tenant', 'session_required', 'api_key_required', 'invalid_firewall', 'create_api_key'],
  },
  {
    without: 'transit',
    configured: { ...ALL, transit: false },
    absent: ['transit_encrypt', 'transit_encrypt_put', 'x-vault-token', '/v1/auth/token/lookup-self'],
  },
  {
    without: 'sealing',
    configured: { ...ALL, sealing: undefined },
    absent: ['read_audit_key', 'read_audit_seals', 'read_audit_entries'],
  },
])('without $without', ({ configured, absent }) => {
  test('the document says nothing of what comes of it', async () => {
    const saidOf = async (choice: Configured) => {
      const { paths, components } = await describeEveryRoute(choice);
      const { responses, securitySchemes } = Object(components);
      return JSON.stringify({ paths, responses, securitySchemes });
    };
    const words = absent.map((word) => `"${word}"`);
    const everything = await saidOf(ALL);
    expect(words.filter((word) => !everything.includes(word))).toEqual([]);
    const document = await saidOf(configured);
    expect(words.filter((word) => document.includes(word))).toEqual([]);
  });
});
