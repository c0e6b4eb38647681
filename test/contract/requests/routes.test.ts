import { expect, inject, test } from 'vitest';
import { z } from 'zod';
import { type Answer, send } from '../../support/client.ts';
import { read } from '../../support/objects.ts';
import { methodOf, pathOf, ROUTES } from '../../support/route-table.ts';

const stack = inject('stack');
const operation = z.object({
  security: z.array(z.record(z.string(), z.unknown())),
  requestBody: z.unknown().optional(),
});
const document = z.object({ paths: z.record(z.string(), z.record(z.string(), operation)) });

async function readDocument() {
  const answer: Answer = await send('GET', `${stack.baseUrl}/v1/openapi.json`);
  return read(document, answer).paths;
}

test('the routes of the service are those of the specification, no more and no fewer', async () => {
  const paths = Object.entries(await readDocument());
  const documented = paths.flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(documented.sort()).toEqual(ROUTES.map(({ call }) => call).sort());
});

test.each(ROUTES)('$call: the document says which credential it takes, and whether a body', async (row) => {
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
  expect(found?.security.flatMap((scheme) => Object.keys(scheme)).sort()).toEqual(expected);
  expect(found?.requestBody !== undefined).toBe(row.body === true);
});
