import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { codesOf } from './codes.ts';
import { type ApiDocument, apiDocument, type Operation, operationsOf } from './document.ts';
import { formatsOf, isPlainText, statusesOf, successes } from './formats.ts';

const HEAD = `/*
 * Made of docs/openapi.json by \`npm run generate -w client\`: not to be changed by hand.
 */`;

/** The source of `src/api/generated.ts`: types of what each operation takes and answers, and its route as data. */
export async function generate(json: unknown): Promise<string> {
  const document = apiDocument.parse(json);
  const types = await openapiTS(JSON.stringify(describedForClients(document)), {
    transform: ({ format }, { path = '' }) => typeOf(format, path.includes('/requestBody/')),
  });
  const parts = [
    HEAD,
    `/** Every code that the service answers. */\nexport const API_CODES = ${JSON.stringify(codesOf(document), null, 2)} as const;`,
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

/** The operations for clients with their successes alone, and without how these are written in HTTP. */
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
