import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { ADMINISTRATION, METERED } from '../../shared/operations.ts';
import { TIER, TIERS } from '../../shared/tiers.ts';
import manifest from '../package.json' with { type: 'json' };
import { codesOf } from './codes.ts';
import { constantsOf } from './constants.ts';
import { type ApiDocument, apiDocument, type Operation, operationsOf } from './document.ts';
import { formatsOf, isPlainText, statusesOf, successes } from './formats.ts';

const HEAD = `/*
 * Made of docs/openapi.json, shared/operations.ts and shared/tiers.ts by \`npm run generate -w client\`: not to be changed by hand.
 */`;

/** The parts of a tier that callers may rely on. */
const TIER_FIELDS = [...TIERS, 'retainedVersions', 'monthlyOps', 'feeCents', 'overageMilliCents'];

/** The source of `src/api/generated.ts`: types of what each operation takes and answers, and its route as data. */
export async function generate(json: unknown): Promise<string> {
  const document = apiDocument.parse(json);
  const { actions, roles, operations, fields } = constantsOf(document);
  const types = await openapiTS(JSON.stringify(describedForClients(document), withoutExamples), {
    transform: ({ format }, { path = '' }) => typeOf(format, path.includes('/requestBody/')),
  });
  const parts = [
    HEAD,
    `/** The version of this package. */\nexport const VERSION = ${JSON.stringify(manifest.version)};`,
    `/** Every code that the service answers. */\nexport const API_CODES = ${JSON.stringify(codesOf(document), null, 2)} as const;`,
    `/** What an API key can be allowed to do with keys. */\nexport const ACTIONS = ${JSON.stringify(actions, null, 2)} as const;`,
    `/** The roles of members. */\nexport const ROLES = ${JSON.stringify(roles, null, 2)} as const;`,
    `/** The operations that an audit event can be about. */\nexport const AUDIT_OPERATIONS = ${JSON.stringify(operations, null, 2)} as const;`,
    `/** Those of them that change the tenant besides its keys. */\nexport const ADMINISTRATION = ${JSON.stringify(ADMINISTRATION, null, 2)} as const;`,
    `/** Those of them that count against a key's allowance; each is also an action. */\nexport const METERED = ${JSON.stringify(METERED, null, 2)} as const;`,
    `/** The fields of an audit event, in the order of the API. */\nexport const AUDIT_FIELDS = ${JSON.stringify(fields, null, 2)} as const;`,
    `/** The tiers of keys. */\nexport const TIERS = ${JSON.stringify(TIERS, null, 2)} as const;`,
    `/** What each tier keeps, includes and costs. */\nexport const TIER = ${JSON.stringify(TIER, TIER_FIELDS, 2)} as const;`,
    `/** Of each operation its route, whether it needs no credential, the statuses of its answer, whether that is no JSON, the names of fields that hold bytes or times. */\nexport const ROUTES = ${JSON.stringify(routesOf(document), null, 2)} as const;`,
    astToString(types),
  ];
  return parts.join('\n\n');
}

/** Bytes that are sent may be any; those that are answered are of the kind that Web Crypto takes. */
function typeOf(format: string | undefined, isSent: boolean): ts.TypeNode | undefined {
  const named = (name: string, ...of: ts.TypeNode[]) => ts.factory.createTypeReferenceNode(name, of);
  if (format === 'date-time') return named('Date');
  if (format !== 'byte') return undefined;
  return isSent ? named('Uint8Array') : named('Uint8Array', named('ArrayBuffer'));
}

/** Leaves out what a type needs no comment for. */
function withoutExamples(key: string, value: unknown): unknown {
  return key === 'examples' ? undefined : value;
}

/** The operations for clients with only their successes, and without how these are written in HTTP. */
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

/** Whether an operation needs no credential. */
function isOpen({ security }: Operation): boolean {
  return security === undefined || security.length === 0;
}
