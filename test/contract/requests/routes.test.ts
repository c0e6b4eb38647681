import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { z } from 'zod';
import { methodOf, pathOf } from '../../support/calls.ts';
import { type Answer, send } from '../../support/client.ts';
import { read } from '../../support/objects.ts';
import { ROUTES, TABLE } from '../../support/route-table.ts';
import { makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');
const operation = z.object({
  security: z.array(z.record(z.string(), z.unknown())),
  requestBody: z.object({ required: z.boolean() }).optional(),
});
const document = z.object({ paths: z.record(z.string(), z.record(z.string(), operation)) });

async function readDocument() {
  const answer: Answer = await send('GET', `${stack.baseUrl}/v1/openapi.json`);
  return read(document, answer).paths;
}

test('the service has exactly the routes of the specification', async () => {
  const paths = Object.entries(await readDocument());
  const documented = paths.flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(documented.sort()).toEqual(ROUTES.map(({ call }) => call).sort());
});

test.each(TABLE)('the OpenAPI document says which credential $call accepts and whether it has a body', async (row) => {
  const schemes = {
    none: [],
    api_key: ['bearerAuth'],
    console: ['consoleAuth'],
    newcomer: ['consoleAuth'],
    either: ['bearerAuth', 'consoleAuth'],
  };
  const found = (await readDocument())[pathOf(row.call)]?.[methodOf(row.call).toLowerCase()];
  const inHeader = row.transit ? ['x-vault-token'] : [];
  const expected = [...schemes[row.credential], ...inHeader];
  const named = new Set(found?.security.flatMap((scheme) => Object.keys(scheme)));
  expect([...named].sort()).toEqual(expected);
  expect(found?.requestBody !== undefined).toBe(row.body === true);
});

test('a route refuses a request without a body if and only if the OpenAPI document requires a body', async () => {
  const tenant = await makeTenant(stack);
  const { console, api } = tenant;
  const name = randomUUID();
  const ids = {
    keys: await tenant.createKey('software', name),
  };
  const paths = await readDocument();
  const rows = TABLE.filter(({ body }) => body);
  expect(rows).toHaveLength(22);
  const refused: string[] = [];
  for (const { call, credential } of rows) {
    const [, thing = ''] = /^\/v1\/([a-z-]+)\//.exec(pathOf(call)) ?? [];
    const createsByName = pathOf(call) === '/v1/transit/keys/{name}';
    const path = pathOf(call)
      .replace('{name}', createsByName ? randomUUID() : name)
      .replace('{id}', Reflect.get(ids, thing));
    const { status } = await (['console', 'newcomer'].includes(credential) ? console : api).send(methodOf(call), path);
    expect([200, 400, 415]).toContain(status);
    if (status !== 200) refused.push(call);
  }
  const required = rows.filter(
    ({ call }) => paths[pathOf(call)]?.[methodOf(call).toLowerCase()]?.requestBody?.required,
  );
  expect(refused).toEqual(required.map(({ call }) => call));
  expect(refused).toHaveLength(14);
});
