import type { TenantId } from '../base/ids.ts';
import type { SealingConfig } from '../config.ts';
import type { SigningKey } from '../kms/signing-key.ts';
import { makeVerifierKey, type VerifierKey } from '../transparency/verifier-key.ts';

/** The prefix of the log names, and the public key of all logs. */
export interface LogKey {
  readonly origin: SealingConfig['origin'];
  readonly key: Pick<SigningKey, 'publicKey'>;
}

/** The prefix of the log names, and the key that signs all logs. */
export interface Signer extends LogKey {
  readonly key: Pick<SigningKey, 'publicKey' | 'sign'>;
}

/** Returns the log's key under the log's name. The public key is read from the KMS, never from the database. */
export async function loadLogKey({ origin, key }: LogKey, tenantId: TenantId): Promise<VerifierKey> {
  return makeVerifierKey(`${origin}/${tenantId}`, await key.publicKey());
}
