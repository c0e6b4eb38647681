import type { Client } from '../../../test/support/tenant.ts';
import { EncryptionService } from '../../src/service.ts';

/** Returns an `EncryptionService` that sends the client's token as an API key. */
export function withApiKey({ stack, token }: Client): EncryptionService {
  if (token === undefined) throw new Error('the client has no credential');
  return new EncryptionService({ url: stack.baseUrl, apiKey: token });
}

/** Returns an `EncryptionService` that sends the client's token as the access token of a person. */
export function signedIn({ stack, token }: Client): EncryptionService {
  return new EncryptionService({ url: stack.baseUrl, accessToken: async () => token ?? '' });
}
