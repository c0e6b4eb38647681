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
