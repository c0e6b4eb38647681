import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { methodOf, pathOf } from '../../support/calls.ts';
import { send } from '../../support/client.ts';
import { goodRequests } from '../../support/good-requests.ts';
import { read } from '../../support/objects.ts';
import { dereference, documentObject, fieldFaults } from '../../support/openapi-document.ts';
import { type RouteRow, TABLE } from '../../support/route-table.ts';
import { type GoodRequest, sendGood } from '../../support/send-good.ts';
import { makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
let document: z.output<typeof documentObject>;
beforeAll(async () => {
  document = read(documentObject, await send('GET', `${stack.baseUrl}/v1/openapi.json`));
});

function operationOf({ call }: RouteRow) {
  const operation = document.paths[pathOf(call)]?.[methodOf(call).toLowerCase()];
  if (operation === undefined) throw new Error(`${call} is not documented`);
  return operation;
}

/** Returns every `$ref` in a part of the document. */
function refsIn(part: unknown): string[] {
  if (Array.isArray(part)) return part.flatMap(refsIn);
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([name, value]) =>
    name === '$ref' && typeof value === 'string' ? [value] : refsIn(value),
  );
}

describe('the OpenAPI document', () => {
  test('the document is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const result = await validator.validate(z.record(z.string(), z.unknown()).parse(structuredClone(document)));
    expect(result).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  test('every reference in the document resolves', () => {
    const refs = [...new Set(refsIn(document))];
    expect(refs.length).toBeGreaterThan(0);
    expect(refs.filter((ref) => dereference(document, ref) === undefined)).toEqual([]);
  });

  test('the document has the version of the interface', () => {
    expect(document.info).toMatchObject({ version: '0.8.0' });
  });

  test('every operation in the document has a unique id', () => {
    const ids = TABLE.map((row) => operationOf(row).operationId);
    expect(new Set(ids).size).toBe(TABLE.length);
  });

  test('the document needs no credential and is the same for every caller', async () => {
    const { api } = await makeTenant(stack);
    expect((await api.send('GET', '/v1/openapi.json')).body).toEqual(document);
  });
});

describe.each(TABLE)('$call', (row) => {
  const statusesOf = () => Object.keys(operationOf(row).responses);

  test('the operation documents the ids in its path', () => {
    const inPath = (operationOf(row).parameters ?? []).filter((parameter) => parameter.in === 'path');
    const expected = [...row.call.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, required: true }));
    expect(inPath).toMatchObject(expected);
    expect(inPath).toHaveLength(expected.length);
  });

  test('the operation documents the statuses of its refusals', () => {
    const behindCredential = [...(row.transit ? [] : ['401']), '403', '429', '500', '503'];
    const expected = [
      ...(row.credential === 'none' ? [] : behindCredential),
      ...(row.body ? ['400', '413', '415'] : []),
      ...(row.call.includes('{id}') ? ['404'] : []),
      row.good.slice(0, 3),
    ];
    expect(statusesOf()).toEqual(expect.arrayContaining(expected));
  });

  test('the operation documents a link to the next page if and only if it reads an audit log', () => {
    const { responses } = operationOf(row);
    const linking = Object.keys(responses).filter(
      (status) => 'link' in Object(Object(dereference(document, responses[status])).headers),
    );
    expect(linking).toEqual(row.call.endsWith('/audit') ? ['200'] : []);
  });

  test('the operation documents one successful status, and documents x-request-id for every response', () => {
    expect(statusesOf().filter((status) => status.startsWith('2'))).toHaveLength(1);
    for (const [status, listed] of Object.entries(operationOf(row).responses)) {
      const response = dereference(document, listed);
      expect(Object.keys(Object(response).headers ?? {}), status).toContain('x-request-id');
    }
  });
});

const QUERIES: Readonly<Record<string, readonly string[]>> = {
  'GET /v1/keys/{id}/audit': ['cursor', 'limit', 'since', 'until'],
  'GET /v1/audit': [
    ...['api_key_id', 'cursor', 'key_id', 'limit', 'operation', 'result', 'since', 'target_id', 'until', 'user_id'],
  ],
  'GET /v1/audit/seals': ['from', 'limit'],
  'GET /v1/audit/entries': ['from', 'limit'],
  'GET /v1/audit/restorations': ['from', 'limit'],
  'GET /v1/usage': ['period'],
  'GET /v1/usage/daily': ['key_id', 'period'],
  'GET /v1/billing/statement': ['period'],
  'GET /v1/transit/keys': ['list'],
};

test.each(TABLE)('$call documents its query parameters, and all are optional', (row) => {
  const inQuery = (operationOf(row).parameters ?? []).filter((parameter) => parameter.in === 'query');
  expect(inQuery.map(({ name }) => name).sort()).toEqual(QUERIES[row.call] ?? []);
  expect(inQuery.filter(({ required }) => required === true)).toEqual([]);
});

describe('fields of answers', () => {
  let tenant: Tenant;
  let unsubscribed: Tenant;
  let requests: Readonly<Record<string, GoodRequest>>;
  beforeAll(async () => {
    tenant = await makeTenant(stack);
    unsubscribed = await makeTenant(stack, 'none');
    requests = await goodRequests(tenant);
  });

  /** Returns a client with which the route's request succeeds. A checkout needs a tenant without a subscription. */
  const senderOf = ({ call, credential }: RouteRow) => {
    const owner = call === 'POST /v1/billing/checkout' ? unsubscribed : tenant;
    return credential === 'api_key' || credential === 'either' ? owner.api : owner.console;
  };

  // Only a person without a tenant can accept an invitation, and only the payment provider can sign a webhook.
  const UNSENT = ['POST /v1/invitations/accept', 'POST /v1/webhooks/stripe'];

  test.each(TABLE.filter(({ call }) => !UNSENT.includes(call)))(
    'the answer to $call has exactly the documented fields',
    async (row) => {
      const answer = await sendGood(senderOf(row), row.call, requests);
      const [status] = Object.keys(operationOf(row).responses).filter((each) => each.startsWith('2'));
      expect(String(answer.status)).toBe(status);
      const response = Object(dereference(document, operationOf(row).responses[String(answer.status)]));
      if (answer.status === 204) {
        expect([answer.body, response.content]).toEqual([undefined, undefined]);
        return;
      }
      const type = row.call === 'GET /v1/audit/key' ? 'text/plain' : 'application/json';
      expect(answer.headers.get('content-type')).toBe(type);
      expect(Object.keys(response.content)).toEqual([type]);
      expect(fieldFaults(document, response.content[type].schema, answer.body)).toEqual([]);
    },
  );

  test('an error answer has exactly the documented fields', async () => {
    const answer = await send('GET', `${stack.baseUrl}/v1/keys`);
    const response = Object(dereference(document, document.paths['/v1/keys']?.get?.responses['401']));
    expect(fieldFaults(document, response.content['application/json'].schema, answer.body)).toEqual([]);
  });
});
