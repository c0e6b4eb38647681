import {
  type Answer,
  type Code,
  ERROR_CODE,
  type Field,
  type Operation,
  type Reference,
} from '../../console/src/pages/reference/reference.ts';

const HEAD = `# API reference

<!-- Generated from docs/openapi.json by \`npm run deploy:docs\`. Do not edit. -->

Every route of the service: what it does, who may call it, its fields, its answers and its errors. To learn the service,
start with the [tour](tour.md). The console has this reference at \`/reference\`, with a search and with your own keys in
the examples. Programs read the [OpenAPI document](openapi.json). A deployment serves its own at \`/v1/openapi.json\`,
without the routes that are not configured there.

## Requests and answers

Send a credential as \`Authorization: Bearer …\`: the token of an API key, the ID token of a
[workload](workload-identity.md) that may use an API key, or the access token of a signed-in person.
Bodies and answers are JSON. Binary fields are base64 with padding. Times are RFC 3339 in UTC, with microseconds, such as
\`2026-11-24T09:30:00.000000Z\`. Every answer has an \`x-request-id\` header; the audit log records the request under this
ID. If a list has another page, a \`Link\` header has its path and query.

### Variables in the examples

Set these in your shell, then paste any example. The [tour](tour.md#restrict-an-api-key) shows how to get them in the
local stack. The second line of an example is for the [TypeScript library](../client/README.md#the-library), where
\`service\` is an \`EncryptionService\`, and the names in capitals are constants with the same values.
`;

const ERRORS = `### Shared errors

An error has a status and a body such as \`{"error":"not_found","message":"not found","request_id":"…"}\`. Branch on
\`error\`. The table shows which codes all routes of a kind can return. Each route lists only its other codes. A path or
method without a route is \`not_found\` or \`method_not_allowed\`. [Error codes](#error-codes) explains every code.
`;

export function renderPage(reference: Reference): string {
  const { groups, objects, codes, general, variables } = reference;
  const parts = [
    HEAD,
    table(
      ['variable', 'value'],
      variables.map(({ name, meaning }) => [`\`$${name}\``, meaning]),
    ),
    ERRORS,
    table(
      ['', 'codes'],
      general.map(({ routes, codes: all }) => [routes, all.map(linkToCode).join(', ')]),
    ),
    '## Contents\n',
    ...groups.map(({ title, operations }) => `**${title}**\n\n${table(['', ''], operations.map(contentsRow))}`),
    `**[Objects](#objects)**: ${objects.map(({ name }) => linkToObject(name)).join(', ')}\n`,
    '**[Error codes](#error-codes)**\n',
    ...groups.flatMap(({ title, description, operations }) => [
      `## ${title}\n`,
      `${description}\n`,
      ...operations.map(renderOperation),
    ]),
    '## Objects\n',
    'Objects that several routes return.\n',
    ...objects.flatMap(({ name, description, fields, example }) => [
      `### ${name} object\n`,
      ...(description === undefined ? [] : [`${description}\n`]),
      fieldTable(fields),
      fence('json', example),
    ]),
    '## Error codes\n',
    'Transit routes answer errors as Vault does, `{"errors":["CODE: message"]}`, and `unauthorized` with status 403.\n',
    codeTable(codes),
  ];
  return `${parts.join('\n').trimEnd()}\n`;
}

function fence(language: string, code: string): string {
  return `\`\`\`${language}\n${code}\n\`\`\`\n`;
}

function contentsRow({ id, methods, path, title }: Operation): string[] {
  return [`\`${methods.join('`, `')} ${path}\``, `[${title}](#${id})`];
}

function renderOperation(operation: Operation): string {
  const { id, title, methods, path, description, credential, audited, parameters, body, answer, codes } = operation;
  const { bodyNote, curl, library } = operation;
  const parts = [
    `### ${id}\n`,
    `**${title}**\n`,
    `\`${methods.join('` or `')} ${path}\`\n`,
    `${description}\n`,
    `Credential: ${credential}.${audited === undefined ? '' : ` The audit log records it as \`${audited}\`.`}\n`,
    ...(parameters.length > 0 ? [fieldTable(parameters, 'parameter', () => '')] : []),
    ...(body.length > 0 ? [fieldTable(body, 'body field', (required) => (required ? ', **required**' : ''))] : []),
    ...(bodyNote === undefined ? [] : [`${bodyNote}\n`]),
    `${renderAnswer(answer)}\n`,
    ...(answer.fields.length > 0 ? [fieldTable(answer.fields, 'answer field')] : []),
    ...(codes.length > 0
      ? [
          `Errors, besides the [shared ones](#shared-errors): ${codes.map(({ status, code }) => `${status} ${linkToCode(code)}`).join(', ')}.\n`,
        ]
      : []),
    ...(curl === undefined ? [] : [fence('sh', curl)]),
    ...(library === undefined ? [] : [fence('ts', library)]),
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

/** Returns a table of fields. By default, it marks the fields that an answer may omit. */
function fieldTable(
  fields: readonly Field[],
  name = 'field',
  markOf = (required: boolean): string => (required ? '' : ', optional'),
): string {
  const rows = fields.map(({ name: path, required, description, ...typed }) => [
    `\`${path}\``,
    `${typeText(typed)}${markOf(required)}`,
    description,
  ]);
  return table([name, 'type', 'meaning'], rows);
}

function typeText({ type, object }: Pick<Field, 'type' | 'object'>): string {
  const linked = type.replace(ERROR_CODE, `[${ERROR_CODE}](#error-codes)`);
  return object === undefined ? linked : linked.replace(object, linkToObject(object));
}

function linkToObject(name: string): string {
  return `[${name}](#${name.toLowerCase()}-object)`;
}

function linkToCode(code: string): string {
  return `[\`${code}\`](#${code})`;
}

function codeTable(codes: readonly Code[]): string {
  return table(
    ['status', 'code', 'meaning', 'what to do'],
    codes.map(({ status, code, meaning, action }) => [`${status}`, `<a id="${code}"></a>\`${code}\``, meaning, action]),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, head.map(() => '---'), ...rows];
  return cells.map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`).join('');
}
