import type { Group, Operation, Reference, Shape } from '../../console/src/pages/reference/reference.ts';
import { type Common, commonFields, sharedAnswer } from './common.ts';
import { fence, fieldTable, linkOfObject, slugOf, table } from './markdown.ts';
import { renderOperation } from './operation.ts';

/** The folder of the pages with the routes, one for each resource. */
const FOLDER = 'docs/api';

const GENERATED = '<!-- Generated from docs/openapi.json by `npm run deploy:docs`. Do not edit. -->\n';

const HEAD = `# API reference

For developers who call the API: what all routes have in common, and where each route is described. To learn the service,
start with the [tour](tour.md). The console has this reference at \`/reference\`, with a search and with your keys in the
examples. Programs read the [OpenAPI document](openapi.json). A deployment serves its own at \`/v1/openapi.json\`, without
the routes that are not configured there.

${GENERATED}
## Requests and answers

Send a credential as \`Authorization: Bearer …\`: the token of an API key, the ID token of a
[workload](workload-identity.md) that may use an API key, or the access token of a signed-in person.
Bodies and answers are JSON. Binary fields are base64 with padding. Times are RFC 3339 in UTC, with microseconds, such as
\`2026-11-24T09:30:00.000000Z\`. Every answer has an \`x-request-id\` header; the audit log records the request under this
ID. If a list has another page, a \`Link\` header has its path and query.

### Variables in the examples

Each route has an example for curl, the [TypeScript library](../client/README.md#the-library) and
[Python](clients.md#python). Set these in your shell; in TypeScript and Python, the names in capitals are constants with the
same values. [From another language](clients.md#set-up) shows how to get them in the local stack.
`;

const ERRORS = `### Shared errors

An error has a status and a body such as \`{"error":"not_found","message":"not found","request_id":"…"}\`. Branch on
\`error\`. The table shows which codes all routes of a kind can return. Each route lists only its other codes. A path or
method without a route is \`not_found\` or \`method_not_allowed\`. [Troubleshooting](troubleshooting.md) explains every code.
`;

const COMMON = `### Common fields

These explanations apply to all routes with such a field.
`;

/** Renders the pages of the reference, by their path: the first page, one for each resource, and the shared objects. */
export function renderPages(reference: Reference): ReadonlyMap<string, string> {
  const { groups, objects } = reference;
  const common = commonFields(reference);
  return new Map([
    ['docs/api.md', renderFirst(reference, common)],
    ...groups.map((group): [string, string] => [pathOf(group.title), renderGroup(group, common)]),
    [pathOf('Objects'), renderObjects(objects)],
  ]);
}

function pathOf(title: string): string {
  return `${FOLDER}/${slugOf(title)}.md`;
}

function join(parts: readonly string[]): string {
  return `${parts.join('\n').trimEnd()}\n`;
}

function renderFirst({ groups, codes, general, variables, objects }: Reference, common: readonly Common[]): string {
  const linked = new Map(codes.map(({ code }) => [code, `[\`${code}\`](troubleshooting.md#${code})`]));
  return join([
    HEAD,
    table(
      ['variable', 'value'],
      variables.map(({ name, meaning }) => [`\`$${name}\``, meaning]),
    ),
    ERRORS,
    table(
      ['', 'codes'],
      general.map(({ routes, codes: all }) => [routes, all.map((code) => linked.get(code)).join(', ')]),
    ),
    COMMON,
    table(
      ['field', 'meaning'],
      common.map(({ anchor, names, description }) => [`<a id="${anchor}"></a>${names.join(', ')}`, description]),
    ),
    '## Routes\n',
    ...groups.map(({ title, operations }) => {
      const page = `api/${slugOf(title)}.md`;
      return `### ${title}\n\n${table(
        ['', ''],
        operations.map((one) => contentsRow(one, page)),
      )}`;
    }),
    `### Objects\n\n${objects.map(({ name }) => `[${name}](api/${linkOfObject(name)})`).join(', ')}\n`,
  ]);
}

function renderGroup({ title, description, operations }: Group, common: readonly Common[]): string {
  const inAll = sharedAnswer(operations);
  return join([
    `# ${title}\n`,
    `For developers who call the API. ${description} [What all routes have in common](../api.md).\n`,
    GENERATED,
    ...(inAll.length === 0
      ? []
      : ['Successful answers have these fields, besides those that each route lists:\n', fieldTable(inAll, common)]),
    ...operations.map((operation) => renderOperation(operation, common, inAll)),
  ]);
}

function renderObjects(objects: readonly Shape[]): string {
  return join([
    '# Objects\n',
    'For developers who call the API: the objects that several [routes](../api.md) return.\n',
    GENERATED,
    ...objects.flatMap(({ name, description, fields, example }) => [
      `## ${name} object\n`,
      ...(description === undefined ? [] : [`${description}\n`]),
      fieldTable(fields, []),
      fence('json', example),
    ]),
  ]);
}

function contentsRow({ id, methods, path, title }: Operation, page: string): string[] {
  return [`\`${methods.join('`, `')} ${path}\``, `[${title}](${page}#${id})`];
}
