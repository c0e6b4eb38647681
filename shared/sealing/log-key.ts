import type { TenantId } from '../base/ids.ts';
import type { SealingConfig } from '../config.ts';
import type { SigningKey } from '../kms/signing-key.ts';
import { makeVerifierKey, type VerifierKey } from '../transparency/verifier-key.ts';

/** What names logs and signs them. */
export interface Signer {
  readonly origin: SealingConfig['origin'];
  readonly key: Pick<SigningKey, 'publicKey' | 'sign'>;
}

/** The key that the checkpoints of a tenant's log are verified with; its name is the log's. The public key is the KMS's word, never the store's. */
export async function loadLogKey({ origin, key }: Signer, tenantId: TenantId): Promise<VerifierKey> {
  return makeVerifierKey(`${origin}/${tenantId}`, await key.publicKey());
}
