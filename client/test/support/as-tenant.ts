import type { Client } from '../../../test/support/tenant.ts';
import { EncryptionService } from '../../src/service.ts';

/** Returns the library with an API key of the given tenant. */
export function withApiKey({ stack, token }: Client): EncryptionService {
  if (token === undefined) throw new Error('the client has no credential');
  return new EncryptionService({ url: stack.baseUrl, apiKey: token });
}

/** Returns the library with the access token of a person in the given tenant. */
export function signedIn({ stack, token }: Client): EncryptionService {
  return new EncryptionService({ url: stack.baseUrl, accessToken: async () => token ?? '' });
}
