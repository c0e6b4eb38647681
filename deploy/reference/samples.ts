import { readFileSync } from 'node:fs';
import ts from 'typescript';
import type { Found } from './document.ts';
import { type Example, type ExampleRequest, Placeholder } from './examples.ts';

const LINE = 100;

/** Returns the example as a command for a POSIX shell, on several lines if it is long. */
export function curlLine(
  { path, methods: [method = ''], operation }: Found,
  { inPath, query, body }: ExampleRequest,
): string {
  const filled = path.replace(/\{\w+\}/, () => `$${inPath?.name}`);
  const search = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  const parts = [
    `curl${methodOption(method, body)} "$BASE${filled}${search.length > 0 ? `?${search.join('&')}` : ''}"`,
    ...credentialHeader(operation.security),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${json(body)}'`]),
  ];
  const line = parts.join(' ');
  return line.length <= LINE ? line : parts.join(' \\\n  ');
}

function methodOption(method: string, body: Example | undefined): string {
  return method === (body === undefined ? 'GET' : 'POST') ? '' : ` -X ${method}`;
}

/** Returns the header with the credential. The credential is an API key if the operation accepts one. */
function credentialHeader(security: readonly Readonly<Record<string, unknown>>[]): string[] {
  const schemes = security.flatMap((scheme) => Object.keys(scheme));
  if (schemes.includes('x-vault-token')) return ['-H "X-Vault-Token: $API_KEY"'];
  if (schemes.includes('bearerAuth')) return ['-H "Authorization: Bearer $API_KEY"'];
  return schemes.includes('consoleAuth') ? ['-H "Authorization: Bearer $SESSION"'] : [];
}

/**
 * Returns JSON for use inside single quotes. The quotes end before each variable and start again after it, so that the
 * shell expands the variable.
 */
function json(body: Example): string {
  const marked = (_: string, value: unknown) => (value instanceof Placeholder ? `\0${value.name}\0` : value);
  const bytesAsText = Object.entries(body).map(([name, value]) => [
    name,
    Buffer.isBuffer(value) ? value.toString('base64') : value,
  ]);
  const text = JSON.stringify(Object.fromEntries(bytesAsText), marked);
  return text.replaceAll(/\\u0000(\w+)\\u0000/g, (_, name) => `'$${name}'`);
}

/**
 * Returns the example as a line of Python that calls the helper of docs/clients.md. It has the same values as the other
 * examples.
 */
export function pythonLine(
  { path, methods: [method = ''], operation }: Found,
  { inPath, query, body }: ExampleRequest,
): string {
  const search = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  const filled = path.replace(/\{\w+\}/, () => `{${inPath?.name}}`);
  const target = `"${filled}${search.length > 0 ? `?${search.join('&')}` : ''}"`;
  const isForPeople = operation.security.length > 0 && operation.security.every((one) => 'consoleAuth' in one);
  const call = [
    `"${method}"`,
    inPath === undefined ? target : `f${target}`,
    ...(body === undefined ? [] : [code(body)]),
    ...(isForPeople ? ['token=SESSION'] : []),
  ];
  const line = `answer = call(${call.join(', ')})`;
  return line.length <= LINE ? line : `answer = call(\n    ${call.join(',\n    ')},\n)`;
}

function code(value: unknown): string {
  if (value instanceof Placeholder) return value.name;
  if (Buffer.isBuffer(value)) return JSON.stringify(value.toString('base64'));
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(code).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${code(one)}`);
  return `{${fields.join(', ')}}`;
}

interface Method {
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
  return typescriptCode(name in body ? body[name] : inPath);
}

function object(example: Example): string {
  const fields = Object.entries(example).map(([name, value]) => `${name}: ${typescriptCode(value)}`);
  return fields.length === 0 ? '' : `{ ${fields.join(', ')} }`;
}

function typescriptCode(value: unknown): string {
  if (value instanceof Placeholder) return value.name;
  if (Buffer.isBuffer(value)) return `new TextEncoder().encode('${value.toString()}')`;
  if (Array.isArray(value)) return `[${value.map(typescriptCode).join(', ')}]`;
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
