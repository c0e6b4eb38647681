import type { Client, Tenant } from '../../../test/support/tenant.ts';
import { EncryptionServiceError } from '../../src/errors.ts';
import { EncryptionService } from '../../src/service.ts';

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
