import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { DOCUMENT, renderDocument } from '../../deploy/reference/document.ts';
import { makeOpenApi } from '../../functions/compose/open-api.ts';
import { describeEveryRoute, everyRoute } from '../../functions/routes.ts';
import { NATIVE } from '../../shared/http/dialect.ts';
import type { Configured } from '../../shared/http/feature.ts';
import { RECORDABLE } from '../../shared/operations.ts';
import { fieldFaults } from '../support/openapi-document.ts';

const ALL = { identity: true, billing: true, transit: true, sealing: true };

test('docs/openapi.json is the document of all routes; npm run deploy:docs updates it', async () => {
  const committed = await readFile(DOCUMENT, 'utf8');
  expect(committed).toBe(renderDocument(await describeEveryRoute(ALL)));
});

test('a process generates the document once, because anyone can ask for it', async () => {
  const openApi = makeOpenApi(ALL);
  expect(openApi()).toBe(openApi());
  expect(JSON.parse(await openApi())).toEqual(await describeEveryRoute(ALL));
});

test('the operations that the audit log can record are exactly the operations of the routes', () => {
  const recorded = everyRoute(ALL)
    .filter(({ dialect }) => dialect === NATIVE)
    .flatMap(({ operation }) => operation ?? []);
  expect(recorded.toSorted()).toEqual(RECORDABLE.toSorted());
});

test('every operation has a description of one to three sentences, and a tag that the document explains', async () => {
  const { tags, paths } = await describeEveryRoute(ALL);
  const explained = z.array(z.object({ name: z.string(), description: z.string().min(1) })).parse(tags);
  const operation = z.object({
    description: z.string().regex(/^[A-Z].*\.$/s),
    tags: z.tuple([z.enum(explained.map(({ name }) => name))]),
  });
  const operations = Object.values(Object(paths)).flatMap((methods) => Object.values(Object(methods)));
  expect(operations).toHaveLength(78);
  const described = operations.map((each) => operation.parse(each));
  expect(described.filter(({ description }) => description.split(/\. (?=[A-Z])/).length > 3)).toEqual([]);
  expect(new Set(described.flatMap(({ tags: [tag] }) => tag)).size).toBe(explained.length);
});

test('every property and parameter has a description', async () => {
  const { paths, components } = await describeEveryRoute(ALL);
  const found = [...schemasOf({ paths, components })];
  expect(found.filter(({ isNamed }) => isNamed).length).toBeGreaterThan(500);
  const silent = found.filter(({ isNamed, schema }) => isNamed && typeof schema.description !== 'string');
  expect(silent.map(({ pointer }) => pointer)).toEqual([]);
});

test('no schema has an empty constant or an enum of both numbers and texts, on which code generators fail', async () => {
  const { paths, components } = await describeEveryRoute(ALL);
  const stumbling = [...schemasOf({ paths, components })].filter(({ schema }) => {
    const choices = z.array(z.unknown()).catch([]).parse(schema.enum);
    return schema.const === '' || choices.includes('') || new Set(choices.map((one) => typeof one)).size > 1;
  });
  expect(stumbling.map(({ pointer }) => pointer)).toEqual([]);
});

test('every object in an answer has an example that fits its schema', async () => {
  const document = await describeEveryRoute(ALL);
  const schemas = Object.entries(Object(document.components).schemas);
  const objects = schemas.filter(([, schema]) => Object.keys(Object(schema).properties ?? {}).length > 0);
  expect(objects.length).toBeGreaterThan(30);
  const faults = objects.flatMap(([name, schema]) => {
    const [example] = Object(schema).examples ?? [];
    return fieldFaults(document, schema, example, name);
  });
  expect(faults).toEqual([]);
});

test('every string in a request has a maximum length, an enum, a format or a pattern', async () => {
  const { paths } = await describeEveryRoute(ALL);
  const texts = [...schemasOf(paths)].filter(({ pointer, schema }) => isOfRequest(pointer) && schema.type === 'string');
  expect(texts.length).toBeGreaterThan(100);
  const bounds = ['maxLength', 'enum', 'format', 'pattern', 'const'];
  expect(texts.filter(({ schema }) => !bounds.some((bound) => bound in schema)).map(({ pointer }) => pointer)).toEqual(
    [],
  );
});

test('a request body is optional only in four Transit operations, which require no field', () => {
  const optional = everyRoute(ALL).filter(({ isBodyOptional }) => isBodyOptional);
  const names = ['create_key', 'datakey_plaintext', 'datakey_wrapped', 'rotate_key'];
  const ids = names.flatMap((name) => [`transit_${name}`, `transit_${name}_put`]);
  expect(optional.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
});

interface Part {
  readonly pointer: string;
  /** Whether the schema is that of a named property or parameter. */
  readonly isNamed: boolean;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Yields every schema in a part of the document, except references. */
function* schemasOf(part: unknown, pointer = '', isNamed = false): Generator<Part> {
  if (typeof part !== 'object' || part === null) return;
  const schema = Object(part);
  const isParameter = 'in' in schema && 'schema' in schema;
  if (!isParameter && !('$ref' in schema)) yield { pointer, isNamed, schema };
  for (const [key, inner] of Object.entries(schema)) {
    if (['if', 'then', 'else'].includes(key)) continue;
    if (key === 'properties')
      for (const [name, of] of Object.entries(Object(inner))) yield* schemasOf(of, `${pointer}/${name}`, true);
    else yield* schemasOf(inner, `${pointer}/${key}`, isParameter && key === 'schema');
  }
}

function isOfRequest(pointer: string): boolean {
  return pointer.includes('/requestBody/') || pointer.includes('/parameters/');
}

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
])('the OpenAPI document of a service without $without', ({ configured, absent }) => {
  test('the OpenAPI document does not mention a feature that is not configured', async () => {
    const textOf = async (choice: Configured) => {
      const { paths, components } = await describeEveryRoute(choice);
      const { responses, securitySchemes } = Object(components);
      return JSON.stringify({ paths, responses, securitySchemes });
    };
    const words = absent.map((word) => `"${word}"`);
    const everything = await textOf(ALL);
    expect(words.filter((word) => !everything.includes(word))).toEqual([]);
    const document = await textOf(configured);
    expect(words.filter((word) => document.includes(word))).toEqual([]);
  });
});
