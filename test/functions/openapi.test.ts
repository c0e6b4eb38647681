import { describe, expect, test } from 'vitest';
import { makeOpenApiRoute } from '../../functions/health/openapi.ts';
import { describeEveryRoute, everyRoute } from '../../functions/routes.ts';
import { readConfig } from '../../shared/config.ts';
import { makeEnv } from '../../shared/env.ts';
import type { Configured } from '../../shared/http/refusals.ts';
import { LEAST } from '../shared/environment.ts';
import { asRequest, readSent } from '../shared/http/exchange.ts';

const ALL = { identity: true, billing: true };

test('the document is made once, however often and by however many it is asked for', async () => {
  let made = 0;
  const route = makeOpenApiRoute(async () => {
    made++;
    return describeEveryRoute(ALL);
  });
  const { env } = makeEnv(readConfig({ ...LEAST, FIRESTORE_EMULATOR_HOST: '127.0.0.1:1' }), {});
  const ask = () => readSent({}, (message) => route.respond(env, asRequest(message)));
  const [first, second] = await Promise.all([ask(), ask()]);
  expect((await ask()).body).toBe(first?.body);
  expect(second?.body).toBe(first?.body);
  expect(made).toBe(1);
});

test('the document with all configured is the committed one; vitest -u writes it anew', async () => {
  const document = await describeEveryRoute(ALL);
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot('../../docs/openapi.json');
});

test('an operation is called what the audit log calls it, where that does', () => {
  const recorded = everyRoute(ALL).filter(({ description }) => description.operation !== undefined);
  expect(recorded.map(({ description }) => description.id)).toEqual(
    recorded.map(({ description }) => description.operation),
  );
  expect(recorded).toHaveLength(11);
});

describe.each([
  {
    without: 'billing',
    configured: { identity: true, billing: undefined },
    absent: ['billing_required', 'free_key_exists', 'billing_active', 'billing_not_set_up', 'stripe_webhook'],
  },
  {
    without: 'a console',
    configured: { identity: undefined, billing: undefined },
    absent: ['consoleAuth', 'no_tenant', 'session_required', 'api_key_required', 'invalid_firewall', 'create_api_key'],
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
