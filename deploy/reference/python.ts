import type { Found } from './document.ts';
import { type ExampleRequest, Placeholder } from './examples.ts';

const LINE = 100;

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
