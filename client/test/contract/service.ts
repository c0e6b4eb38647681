import type { Tenant } from '../../../test/support/tenant.ts';
import { EncryptionService } from '../../src/index.ts';

/** Returns an `EncryptionService` that sends the tenant's API key. */
export function serviceOf({ api }: Pick<Tenant, 'api'>): EncryptionService {
  return new EncryptionService({ url: api.stack.baseUrl, apiKey: api.token ?? '' });
}
