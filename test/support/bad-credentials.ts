import { type Extras, list } from './client.ts';
import { Client, signIn, type Tenant } from './tenant.ts';

/** Returns the token of an API key with a wrong secret in place of the real one. */
export function withWrongSecret(token: string): string {
  return `${token.slice(0, -43)}${'A'.repeat(43)}`;
}

/**
 * Returns clients with invalid credentials, keyed by the kind of credential. The service must answer each client with
 * `401 unauthorized`.
 */
export async function badCredentials(tenant: Tenant): Promise<Readonly<Record<string, Client>>> {
  const { api, console, subject, mint } = tenant;
  const { stack } = api;
  const revoked = await mint();
  await console.send('DELETE', `/v1/api-keys/${revoked.id}`);
  return {
    none: new Client(stack, undefined),
    malformed: new Client(stack, 'esk_short'),
    'unknown prefix': new Client(stack, `esk_${'a'.repeat(26)}_${'A'.repeat(43)}`),
    'wrong secret': new Client(stack, withWrongSecret(api.token ?? '')),
    revoked: revoked.client,
    'expired session': await signIn(stack, subject, { expires_in: -60 }),
    'session signed by an unknown key': await signIn(stack, subject, { signed_by: 'stranger' }),
  };
}

/** Returns everything that the tenant's owner can see, without the times at which the API keys were last used. */
export async function stateOf({ console }: Tenant): Promise<Record<string, unknown>> {
  const lists = ['keys', 'containers', 'firewalls', 'usage', 'audit?limit=1000', 'me', 'members', 'invitations'];
  const paths = [...lists, 'billing'].map((name) => `/v1/${name}`);
  const read = async (path: string) => [path, (await console.send('GET', path)).body] as const;
  const state = Object.fromEntries(await Promise.all(paths.map(read)));
  const apiKeys = await console.send('GET', '/v1/api-keys');
  return { ...state, '/v1/api-keys': list(apiKeys).map((apiKey) => ({ ...apiKey, last_used_at: null })) };
}

const JSON_TYPE = { 'content-type': 'application/json' };
const TEXT_TYPE = { 'content-type': 'text/plain' };
const TOO_LARGE = ' '.repeat(131_073);

/** Invalid bodies with the expected errors. Bodies with two faults show which fault the service must report. */
export const BAD_BODIES: readonly (readonly [refusal: string, name: string, extras: Extras])[] = [
  ['415 unsupported_media_type', 'a body of another type than JSON', { raw: '{}', headers: TEXT_TYPE }],
  ['413 payload_too_large', 'a body over 131,072 bytes', { raw: TOO_LARGE, headers: JSON_TYPE }],
  ['400 invalid_request', 'a body that is not JSON', { raw: '{', headers: JSON_TYPE }],
  ['400 invalid_request', 'an empty body', { raw: '', headers: JSON_TYPE }],
  ['400 invalid_request', 'a JSON array instead of an object', { raw: '[]', headers: JSON_TYPE }],
  ['415 unsupported_media_type', 'a body of another type over 131,072 bytes', { raw: TOO_LARGE, headers: TEXT_TYPE }],
  ['415 unsupported_media_type', 'a body of another type that is not JSON', { raw: '{', headers: TEXT_TYPE }],
  ['413 payload_too_large', 'a body over 131,072 bytes that is not JSON', { raw: `{${TOO_LARGE}`, headers: JSON_TYPE }],
];

const ENCODED = { 'content-encoding': 'gzip' };

/** Invalid bodies of Transit requests, whose content type can be any. */
export const BAD_TRANSIT_BODIES: readonly (readonly [refusal: string, name: string, extras: Extras])[] = [
  ['415 unsupported_media_type', 'an encoded body', { raw: '{', headers: ENCODED }],
  ['415 unsupported_media_type', 'an encoded body over 131,072 bytes', { raw: TOO_LARGE, headers: ENCODED }],
  ['413 payload_too_large', 'a body over 131,072 bytes that is not JSON', { raw: `{${TOO_LARGE}` }],
  ['400 invalid_request', 'a body that is not JSON', { raw: '{' }],
  ['400 invalid_request', 'a JSON array instead of an object', { raw: '[]' }],
  ['400 invalid_request', 'an unsupported field', { raw: '{"managed_key_name":"a","context":"AAAA"}' }],
];
