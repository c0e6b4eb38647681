import { readFile, rename, writeFile } from 'node:fs/promises';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { ADMINISTRATION, METERED } from '../../shared/operations.ts';
import { TIER, TIERS } from '../../shared/tiers.ts';
import manifest from '../package.json' with { type: 'json' };
import {
  type ApiDocument,
  apiDocument,
  codesOf,
  constantsOf,
  DOCUMENT,
  formatsOf,
  isPlainText,
  type Operation,
  operationsOf,
  statusesOf,
  successes,
} from './document.ts';

/** The generated source file. */
const TARGET = new URL('../src/api/generated.ts', import.meta.url);

const HEAD = `/*
 * Generated from docs/openapi.json, shared/operations.ts and shared/tiers.ts. Do not edit, and do not add to git.
 */`;

/** The properties of a tier that callers may rely on. */
const TIER_FIELDS = [...TIERS, 'retainedVersions', 'monthlyOps', 'feeCents', 'overageMilliCents'];

/** Returns the source of `src/api/generated.ts`: the types of each operation's request and response, and its route. */
async function generate(): Promise<string> {
  const document = apiDocument.parse(JSON.parse(await readFile(DOCUMENT, 'utf8')));
  const { actions, roles, operations, fields } = constantsOf(document);
  const types = await openapiTS(JSON.stringify(describedForClients(document), withoutExamples), {
    transform: ({ format }, { path = '' }) => typeOf(format, path.includes('/requestBody/')),
  });
  const parts = [
    HEAD,
    `/** The version of this package. */\nexport const VERSION = ${JSON.stringify(manifest.version)};`,
    `/** Every error code of the service, with its HTTP status. */\nexport const API_CODES = ${JSON.stringify(codesOf(document), null, 2)} as const;`,
    `/** The actions that an API key can be allowed. */\nexport const ACTIONS = ${JSON.stringify(actions, null, 2)} as const;`,
    `/** The roles of members. */\nexport const ROLES = ${JSON.stringify(roles, null, 2)} as const;`,
    `/** The operations that audit events record. */\nexport const AUDIT_OPERATIONS = ${JSON.stringify(operations, null, 2)} as const;`,
    `/** The audit operations that change the tenant, except those on keys. */\nexport const ADMINISTRATION = ${JSON.stringify(ADMINISTRATION, null, 2)} as const;`,
    `/** The operations that count against a key's allowance. Each is also an action. */\nexport const METERED = ${JSON.stringify(METERED, null, 2)} as const;`,
    `/** The fields of an audit event, in the API's order. */\nexport const AUDIT_FIELDS = ${JSON.stringify(fields, null, 2)} as const;`,
    `/** The tiers of keys. */\nexport const TIERS = ${JSON.stringify(TIERS, null, 2)} as const;`,
    `/** What each tier retains, includes and costs. */\nexport const TIER = ${JSON.stringify(TIER, TIER_FIELDS, 2)} as const;`,
    `/** The route of each operation. An open route needs no credential. A response with one of \`statuses\` has the operation's result, which is JSON unless \`isPlainText\`. \`bytes\` and \`times\` list the fields with such values. */\nexport const ROUTES = ${JSON.stringify(routesOf(document), null, 2)} as const;`,
    astToString(types),
  ];
  return parts.join('\n\n');
}

/**
 * Returns the TypeScript type for a format. In requests, bytes may have any buffer type. In responses, they have the
 * narrower type that Web Crypto accepts.
 */
function typeOf(format: string | undefined, isSent: boolean): ts.TypeNode | undefined {
  const named = (name: string, ...of: ts.TypeNode[]) => ts.factory.createTypeReferenceNode(name, of);
  if (format === 'date-time') return named('Date');
  if (format !== 'byte') return undefined;
  return isSent ? named('Uint8Array') : named('Uint8Array', named('ArrayBuffer'));
}

/** A replacer for JSON that omits examples, because they would only lengthen the comments of the types. */
function withoutExamples(key: string, value: unknown): unknown {
  return key === 'examples' ? undefined : value;
}

/** Returns a document with only the operations for clients and their successful responses, without headers. */
function describedForClients(document: ApiDocument): unknown {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { path, method, operation } of operationsOf(document)) {
    const bodies = successes(operation).map(([status, answer]) => [
      status,
      { description: '', ...Object(answer), headers: {} },
    ]);
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: { ...operation, responses: Object.fromEntries(bodies) },
    };
  }
  return { openapi: '3.1.0', info: document.info, paths, components: { schemas: document.components.schemas } };
}

function routesOf(document: ApiDocument) {
  const routes = operationsOf(document).map(({ path, method, operation }) => [
    operation.operationId,
    {
      method,
      path,
      isOpen: isOpen(operation),
      statuses: statusesOf(document, operation),
      isPlainText: isPlainText(document, operation),
      ...formatsOf(document, operation),
    },
  ]);
  return Object.fromEntries(routes);
}

/** Returns whether an operation needs no credential. */
function isOpen({ security }: Operation): boolean {
  return security === undefined || security.length === 0;
}

// `npm run setup` and `npm run build -w client` run this script. It overwrites the generated part of the library.
// Several commands may do this at once, and each must find a whole file.
const unfinished = new URL(`${TARGET}.${process.pid}`);
await writeFile(unfinished, await generate());
await rename(unfinished, TARGET);
