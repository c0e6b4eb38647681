import type { TenantId } from '../base/ids.ts';
import type { SealingConfig } from '../config.ts';
import type { SigningKey } from '../kms/signing-key.ts';
import { makeVerifierKey, type VerifierKey } from '../transparency/verifier-key.ts';

/** The name prefix and the key of logs. */
export interface Signer {
  readonly origin: SealingConfig['origin'];
  readonly key: Pick<SigningKey, 'publicKey' | 'sign'>;
}

/** Named after the log. The public key comes from the KMS, never from the store. */
export async function loadLogKey({ origin, key }: Signer, tenantId: TenantId): Promise<VerifierKey> {
  return makeVerifierKey(`${origin}/${tenantId}`, await key.publicKey());
}
