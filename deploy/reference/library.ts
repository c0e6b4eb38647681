import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { type Example, type ExampleRequest, Placeholder } from './examples.ts';

export interface Method {
  /** The parameters in order, without `options`. */
  readonly parameters: readonly { readonly name: string; readonly type: string }[];
  readonly answer: string;
}

/** Returns the methods of the client library, by the ID of the operation that they call. */
export function libraryMethods(): ReadonlyMap<string, Method> {
  const file = new URL('../../client/src/service.ts', import.meta.url);
  const source = ts.createSourceFile('service.ts', readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const methods = new Map<string, Method>();
  const text = (node: ts.Node | undefined) => node?.getText(source) ?? '';
  for (const statement of source.statements.filter(ts.isClassDeclaration)) {
    for (const member of statement.members.filter(ts.isMethodDeclaration)) {
      const id = text(member.name).replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      const parameters = member.parameters.map(({ name, type }) => ({ name: text(name), type: text(type) }));
      methods.set(id, { parameters: parameters.filter(({ name }) => name !== 'options'), answer: text(member.type) });
    }
  }
  return methods;
}

/**
 * Returns an example that makes the same call with the client library. It has the same values as the other examples.
 */
export function libraryLine(
  id: string,
  { parameters, answer }: Method,
  example: ExampleRequest,
  answerFields: readonly string[],
): string {
  const name = id.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase());
  const isIterated = answer.startsWith('AsyncGenerator');
  const given = parameters.map((parameter) => argument(parameter, example, isIterated));
  const call = `service.${name}(${given.filter((text) => text !== '').join(', ')})`;
  if (isIterated) return `for await (const event of ${call}) console.log(event.operation, event.result);`;
  return answer === 'Promise<void>'
    ? `await ${call};`
    : `const ${variableOf(id, answer, answerFields)} = await ${call};`;
}

/** Returns an argument as code. Returns an empty text for an empty query, because callers may omit it. */
function argument(
  { name, type }: Method['parameters'][number],
  { inPath, query, body = {} }: ExampleRequest,
  isIterated: boolean,
): string {
  if (type.startsWith('Query<')) {
    // An iteration reads all pages, so the example does not show the size of a page.
    const { limit, ...others } = query;
    return object(isIterated ? others : query);
  }
  if (type.startsWith('Body<')) return object(body);
  return code(name in body ? body[name] : inPath);
}

function object(example: Example): string {
  const fields = Object.entries(example).map(([name, value]) => `${name}: ${code(value)}`);
  return fields.length === 0 ? '' : `{ ${fields.join(', ')} }`;
}

function code(value: unknown): string {
  if (value instanceof Placeholder) return value.name;
  if (Buffer.isBuffer(value)) return `new TextEncoder().encode('${value.toString()}')`;
  if (Array.isArray(value)) return `[${value.map(code).join(', ')}]`;
  return typeof value === 'string' ? `'${value}'` : String(value);
}

/**
 * Returns the name of the variable for the answer: the name of the answer's type, if it has one. If the type has no
 * name, an answer with one or two fields is named after its fields, and an answer with more fields after the operation.
 */
function variableOf(id: string, answer: string, fields: readonly string[]): string {
  const [, name, list = ''] = /^Promise<([A-Z]\w+)(\[\])?>$/.exec(answer) ?? [];
  if (name !== undefined) return `${name.charAt(0).toLowerCase()}${name.slice(1)}${list && 's'}`;
  if (answer.startsWith('Promise<Answer<') && fields.length > 0 && fields.length < 3) return `{ ${fields.join(', ')} }`;
  return id.slice(id.lastIndexOf('_') + 1);
}
