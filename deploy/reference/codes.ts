import { z } from 'zod';
import type { General, OwnCode } from '../../console/src/pages/reference/reference.ts';
import { type ErrorCode, isErrorCode } from '../../shared/errors.ts';
import { contentOf, type DocumentedOperation, type Found, type OpenApi, schemaOf } from './document.ts';

export function credentialOf(operation: DocumentedOperation): string {
  const { security } = operation;
  const accepted: string[] = [];
  const [apiKey] = security.flatMap(({ bearerAuth }) => (bearerAuth ? [bearerAuth] : []));
  if (apiKey !== undefined)
    accepted.push(apiKey[0] === undefined ? 'any API key' : `an API key with the action \`${apiKey[0]}\``);
  const people = security.flatMap(({ consoleAuth }) => (consoleAuth ? [consoleAuth] : []));
  const roles = people.flat().map((role) => `\`${role}\``);
  if (roles.length > 0) accepted.push(`a person with the role ${roles.join(' or ')}`);
  else if (people.length > 0)
    accepted.push(isForAnyPerson(operation) ? 'any signed-in person' : 'a person with any role');
  return accepted.length === 0 ? 'none' : accepted.join(', or ');
}

/** Returns whether a person without a tenant may also call the operation. */
function isForAnyPerson({ security, responses }: DocumentedOperation): boolean {
  return security.length > 0 && !JSON.stringify(responses).includes('no_tenant');
}

interface Kind {
  readonly routes: string;
  readonly codes: readonly ErrorCode[];
  has(operation: DocumentedOperation): boolean;
}

const schemesOf = ({ security }: DocumentedOperation) => new Set(security.flatMap((one) => Object.keys(one)));
const scopesOf = ({ security }: DocumentedOperation, scheme: string) => security.flatMap((one) => one[scheme] ?? []);

const KINDS: readonly Kind[] = [
  { routes: 'every route', codes: ['invalid_request'], has: () => true },
  {
    routes: 'routes with a credential',
    codes: ['unauthorized', 'rate_limited', 'ip_not_allowed', 'internal_error', 'unavailable'],
    has: ({ security }) => security.length > 0,
  },
  {
    routes: 'routes for people in a tenant',
    codes: ['no_tenant'],
    has: (operation) => operation.security.length > 0 && !isForAnyPerson(operation),
  },
  {
    routes: 'routes that accept no API key',
    codes: ['session_required'],
    has: (operation) => operation.security.length > 0 && !schemesOf(operation).has('bearerAuth'),
  },
  {
    routes: 'routes that accept only API keys',
    codes: ['api_key_required'],
    has: (operation) => operation.security.length > 0 && !schemesOf(operation).has('consoleAuth'),
  },
  {
    routes: 'routes that need an action',
    codes: ['key_not_allowed', 'action_not_allowed'],
    has: (operation) => scopesOf(operation, 'bearerAuth').length > 0,
  },
  {
    routes: 'routes that need a role',
    codes: ['role_not_allowed'],
    has: (operation) => scopesOf(operation, 'consoleAuth').length > 0,
  },
  {
    routes: 'routes with the ID or name of an existing object in the path',
    codes: ['not_found'],
    has: (operation) =>
      operation.parameters.some((one) => one.in === 'path') && operation['x-audit-operation'] !== 'create_key',
  },
  {
    routes: 'routes with a body',
    codes: ['unsupported_media_type', 'payload_too_large'],
    has: ({ requestBody }) => requestBody !== undefined,
  },
];

/** The errors that all routes of a kind share, for the beginning of the reference. */
export const general: readonly General[] = KINDS.map(({ routes, codes }) => ({ routes, codes }));

const nativeError = z.object({ properties: z.object({ error: z.object({ enum: z.array(z.string()) }) }) });
const vaultError = z.object({
  properties: z.object({ errors: z.object({ items: z.object({ pattern: z.string() }) }) }),
});

/**
 * Returns the error codes of an operation, except the codes that all operations of its kinds have. Throws if the
 * operation does not document one of these shared codes.
 */
export function ownCodes(document: OpenApi, { path, operation }: Found): OwnCode[] {
  const all = Object.entries(operation.responses).flatMap(([status, response]) =>
    codesIn(document, contentOf(document, response)?.schema).map((code) => ({ status: Number(status), code })),
  );
  const implied = KINDS.filter((kind) => kind.has(operation)).flatMap(({ codes }) => codes);
  const absent = implied.filter((code) => !all.some((one) => one.code === code));
  if (absent.length > 0)
    throw new Error(`${path} does not document ${absent.join(', ')}, which all routes of its kind can answer`);
  return all.filter(({ code }) => !implied.some((one) => one === code));
}

function codesIn(document: OpenApi, part: unknown): ErrorCode[] {
  if (part === undefined) return [];
  const schema = schemaOf(document, part);
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap((choice) => codesIn(document, choice));
  const native = nativeError.safeParse(schema).data?.properties.error.enum ?? [];
  const [, vault = ''] =
    /^\^\(\?:(.*)\): $/.exec(vaultError.safeParse(schema).data?.properties.errors.items.pattern ?? '') ?? [];
  return [...native, ...vault.split('|')].filter(isErrorCode);
}
