import type { Answer, Field, Operation } from '../../console/src/pages/reference/reference.ts';
import type { Common } from './common.ts';
import { fence, fieldTable, linkToCode, typeText } from './markdown.ts';

export function renderOperation(operation: Operation, common: readonly Common[], inAll: readonly Field[]): string {
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
