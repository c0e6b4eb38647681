import { expect } from 'vitest';
import type { Client, Tenant } from '../../../test/support/tenant.ts';
import { EncryptionServiceError } from '../../src/errors.ts';
import { findOpenssl, type Openssl } from '../../src/files/openssl.ts';
import { EncryptionService } from '../../src/service.ts';

/** A key as the service sends it. */
export const KEY_JSON = {
  id: '0197a3f0-5c1e-7d44-8c31-9b1f6f1c2a10',
  name: 'orders',
  tier: 'software',
  container_id: '0197a3f0-5c1e-7d44-8c31-9b1f6f1c2a11',
  state: 'active',
  created_at: '2026-11-20T10:11:12.123456Z',
  delete_requested_at: null,
  destroy_after: null,
  frozen_at: null,
  primary_version: 1,
  versions: [{ version: 1, state: 'enabled', created_at: '2026-11-20T10:11:12.123456Z' }],
} as const;

/** `KEY_JSON` as the library returns it. */
export const KEY = {
  ...KEY_JSON,
  created_at: new Date('2026-11-20T10:11:12.123Z'),
  versions: [{ version: 1, state: 'enabled', created_at: new Date('2026-11-20T10:11:12.123Z') }],
};

/** A token in the format of API keys. */
export const API_KEY = 'esk_aaaaaaaaaaaaaaaaaaaaaaaaaa_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb';

/** The OpenSSL functions that the library uses in Node. */
export const openssl: Openssl = findOpenssl('chacha20-poly1305') ?? expect.unreachable('no ChaCha20 in this Node');

/** Returns an `EncryptionService` that sends the tenant's API key. */
export function serviceOf({ api }: Pick<Tenant, 'api'>): EncryptionService {
  return new EncryptionService({ url: api.stack.baseUrl, apiKey: api.token ?? '' });
}

/** Returns an `EncryptionService` that sends the client's token as the access token of a person. */
export function signedIn({ stack, token }: Client): EncryptionService {
  return new EncryptionService({ url: stack.baseUrl, accessToken: async () => token ?? '' });
}

/** Returns the error of a failed call. Throws if the call succeeds or fails with another kind of error. */
export async function failureOf(call: Promise<unknown>): Promise<EncryptionServiceError> {
  const thrown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (thrown instanceof EncryptionServiceError) return thrown;
  throw new Error('the call did not fail with an EncryptionServiceError', { cause: thrown });
}
