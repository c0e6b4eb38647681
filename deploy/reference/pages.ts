import {
  type Answer,
  anchorOf,
  ERROR_CODE,
  type Field,
  type Group,
  type Operation,
  type Reference,
  type Shape,
} from '../../console/src/pages/reference/reference.ts';

/** A long description that several fields have, and that the first page gives once. */
interface Common {
  readonly anchor: string;
  readonly names: readonly string[];
  readonly description: string;
}

/** Returns the long descriptions that more than a few fields of requests have. */
function commonFields({ groups }: Reference): Common[] {
  const fields = groups.flatMap(({ operations }) =>
    operations.flatMap(({ parameters, body }) => [...parameters, ...body]),
  );
  return [...Map.groupBy(fields, ({ description }) => description)]
    .filter(([description, having]) => description.length > 120 && having.length > 3)
    .map(([description, having]) => {
      const names = [...new Set(having.map(({ name }) => name.replace(/^.*\./, '')))];
      return { anchor: `common-${names[0]}`, names: names.map((name) => `\`${name}\``), description };
    });
}

/** Returns the fields that the answers of nearly all operations of a group have, if they are more than a few. */
function sharedAnswer(operations: readonly Operation[]): Field[] {
  const all = operations.flatMap(({ answer }) => answer.fields);
  const shared = [...Map.groupBy(all, (field) => JSON.stringify(field)).values()]
    .filter((same) => same.length > 5)
    .flatMap(([field]) => field ?? []);
  return shared.filter(({ name }) => !name.startsWith('data'));
}

/** Returns a field's description. A common one becomes its first sentence, with a link to the rest. */
function meaningOf(description: string, common: readonly Common[]): string {
  const found = common.find((one) => one.description === description);
  const [first = ''] = /^[^.]*\./.exec(description) ?? [];
  return found === undefined ? description : `${first} [More](../api.md#${found.anchor}).`;
}

function fence(language: string, code: string): string {
  return `\`\`\`${language}\n${code}\n\`\`\`\n`;
}

function slugOf(title: string): string {
  return title.toLowerCase().replaceAll(' ', '-');
}

/** Returns a table of fields. By default, it marks the fields that an answer may omit. */
function fieldTable(
  fields: readonly Field[],
  common: readonly Common[],
  name = 'field',
  markOf = (required: boolean): string => (required ? '' : ', optional'),
): string {
  const rows = fields.map(({ name: path, required, description, ...typed }) => [
    `\`${path}\``,
    `${typeText(typed)}${markOf(required)}`,
    meaningOf(description, common),
  ]);
  return table([name, 'type', 'meaning'], rows);
}

function typeText({ type, object }: Pick<Field, 'type' | 'object'>): string {
  const linked = type.replace(ERROR_CODE, `[${ERROR_CODE}](../troubleshooting.md#every-error-code)`);
  return object === undefined ? linked : linked.replace(object, `[${object}](${linkOfObject(object)})`);
}

function linkOfObject(name: string): string {
  return `${slugOf('Objects')}.md#${anchorOf(name)}`;
}

function linkToCode(code: string): string {
  return `[\`${code}\`](../troubleshooting.md#${code})`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, head.map(() => '---'), ...rows];
  return cells.map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`).join('');
}

function renderOperation(operation: Operation, common: readonly Common[], inAll: readonly Field[]): string {
  const { id, title, methods, path, description, credential, audited, parameters, body, answer, codes } = operation;
  const { bodyNote, curl, library, python } = operation;
  const own = answer.fields.filter((field) => !inAll.some(({ name }) => name === field.name));
  const parts = [
    `## ${id}\n`,
    `**${title}**\n`,
    `\`${methods.join('` or `')} ${path}\`\n`,
    `${description}\n`,
    `Credential: ${credential}.${audited === undefined ? '' : ` The audit log records it as \`${audited}\`.`}\n`,
    ...(parameters.length > 0 ? [fieldTable(parameters, common, 'parameter', () => '')] : []),
    ...(body.length > 0
      ? [fieldTable(body, common, 'body field', (required) => (required ? ', **required**' : ''))]
      : []),
    ...(bodyNote === undefined ? [] : [`${bodyNote}\n`]),
    `${renderAnswer(answer)}\n`,
    ...(own.length > 0 ? [fieldTable(own, [], 'answer field')] : []),
    ...(codes.length > 0
      ? [
          `Errors, besides the [shared ones](../api.md#shared-errors): ${codes.map(({ status, code }) => `${status} ${linkToCode(code)}`).join(', ')}.\n`,
        ]
      : []),
    ...(curl === undefined ? [] : [fence('sh [curl]', curl)]),
    ...(library === undefined ? [] : [fence('ts [TypeScript]', library)]),
    ...(python === undefined ? [] : [fence('python [Python]', python)]),
    ...(answer.example === undefined ? [] : [fence('json', answer.example)]),
  ];
  return parts.join('\n');
}

/** The text before a table with the fields of an answer, by the answer's type. */
const WITH_FIELDS: Readonly<Record<string, string>> = {
  object: 'an object with these fields',
  'list of object': 'a list of objects with these fields',
};

function renderAnswer({ status, description = '', fields, ...typed }: Answer): string {
  const type = (fields.length > 0 && WITH_FIELDS[typed.type]) || typeText(typed);
  return `Answers \`${status}\`: ${type}.${description === '' ? '' : ` ${description}`}`;
}

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
