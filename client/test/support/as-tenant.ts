import type { Client } from '../../../test/support/tenant.ts';
import { EncryptionService } from '../../src/service.ts';

/** The library with an API key of a test's tenant. */
export function withApiKey({ stack, token }: Client): EncryptionService {
  if (token === undefined) throw new Error('the client has no credential');
  return new EncryptionService({ url: stack.baseUrl, apiKey: token });
}

/** The library as a signed-in person of a test's tenant. */
export function signedIn({ stack, token }: Client): EncryptionService {
  return new EncryptionService({ url: stack.baseUrl, accessToken: async () => token ?? '' });
}
