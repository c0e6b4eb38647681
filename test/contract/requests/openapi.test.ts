import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { ERROR_CODES } from '../../../shared/errors.ts';
import { send } from '../../support/client.ts';
import { read } from '../../support/objects.ts';
import { codesIn, dereference, documentObject, fieldFaults } from '../../support/openapi-document.ts';
import { ROUTES } from '../../support/route-table.ts';
import { makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');
let document: z.output<typeof documentObject>;
beforeAll(async () => {
  document = read(documentObject, await send('GET', `${stack.baseUrl}/v1/openapi.json`));
});

function operations() {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => ({ call: `${method.toUpperCase()} ${path}`, ...one })),
  );
}

function refsIn(part: unknown): string[] {
  if (Array.isArray(part)) return part.flatMap(refsIn);
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([name, value]) =>
    name === '$ref' && typeof value === 'string' ? [value] : refsIn(value),
  );
}

test('the document is valid OpenAPI 3.1 and has the version of the interface', async () => {
  const validator = new Validator();
  const result = await validator.validate(z.record(z.string(), z.unknown()).parse(structuredClone(document)));
  expect(result).toEqual({ valid: true });
  expect([validator.version, document.info.version]).toEqual(['3.1', '0.8.0']);
});

test('every reference in the document resolves', () => {
  const refs = [...new Set(refsIn(document))];
  expect(refs.length).toBeGreaterThan(0);
  expect(refs.filter((ref) => dereference(document, ref) === undefined)).toEqual([]);
});

test('the document has exactly the operations with a case file, each with a unique id', () => {
  const documented = operations();
  expect(documented.map(({ call }) => call).sort()).toEqual(ROUTES.map(({ call }) => call).sort());
  expect(new Set(documented.map(({ operationId }) => operationId)).size).toBe(documented.length);
});

test('every error code except those of unknown routes is documented for an operation', () => {
  const documented = new Set(operations().flatMap(({ responses }) => codesIn(document, responses)));
  expect([...documented, 'method_not_allowed'].sort()).toEqual([...ERROR_CODES].sort());
});

test('every operation with a credential documents rate_limited, internal_error and unavailable', () => {
  const credentialed = ROUTES.filter(({ credential }) => credential !== 'none').map(({ call }) => call);
  const lacking = operations()
    .filter(({ call }) => credentialed.includes(call))
    .filter(({ responses }) => {
      const codes = codesIn(document, responses);
      return !['rate_limited', 'internal_error', 'unavailable'].every((code) => codes.includes(code));
    });
  expect(lacking.map(({ call }) => call)).toEqual([]);
});

test('every operation documents one successful status, x-request-id for every response, and links only for audit logs', () => {
  for (const { call, responses } of operations()) {
    const headers = Object.entries(responses).map(([status, listed]) => {
      return [status, Object.keys(Object(Object(dereference(document, listed)).headers))] as const;
    });
    const successes = headers.filter(([status]) => status.startsWith('2'));
    const lacking = headers.filter(([, names]) => !names.includes('x-request-id'));
    expect([successes.length, lacking], call).toEqual([1, []]);
    const linking = headers.filter(([, names]) => names.includes('link')).map(([status]) => status);
    expect(linking, call).toEqual(call.endsWith('/audit') ? ['200'] : []);
  }
});

test('the document needs no credential and is the same for every caller', async () => {
  const { api } = await makeTenant(stack);
  expect((await api.send('GET', '/v1/openapi.json')).body).toEqual(document);
});

test('an error answer has exactly the documented fields', async () => {
  const answer = await send('GET', `${stack.baseUrl}/v1/keys`);
  const response = Object(dereference(document, document.paths['/v1/keys']?.get?.responses['401']));
  expect(fieldFaults(document, response.content['application/json'].schema, answer.body)).toEqual([]);
});
