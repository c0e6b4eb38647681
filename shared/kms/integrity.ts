import type { protos } from '@google-cloud/kms';
import { GRPC, hasStatus } from '../grpc/status.ts';
import { crc32c } from './crc32c.ts';

type EncryptResponse = protos.google.cloud.kms.v1.IEncryptResponse;
type Bytes = Uint8Array | string | null | undefined;

const ATTEMPTS = 3;

export class ChecksumMismatch extends Error {
  override readonly name = 'ChecksumMismatch';
}

/** Makes up to three attempts at a call while checksums are wrong, then throws {@link ChecksumMismatch}. */
export async function retryDamaged<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ChecksumMismatch) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Throws {@link ChecksumMismatch} unless the KMS verified both checksums of the request. */
export function refuseUnverified(answer: EncryptResponse): void {
  if (!answer.verifiedPlaintextCrc32c || !answer.verifiedAdditionalAuthenticatedDataCrc32c) {
    throw new ChecksumMismatch('the KMS did not verify the checksum of a request');
  }
}

/** Returns received bytes. Copies no Buffer, so that no copy is left after wiping. Throws {@link ChecksumMismatch}. */
export async function verified(bytes: Bytes, crc: unknown): Promise<Buffer> {
  const received = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes ?? '');
  if (String(crc) !== String(await crc32c(received)))
    throw new ChecksumMismatch('the checksum of a KMS response does not match');
  return received;
}

/** Whether the KMS refused a request because of its checksum. INVALID_ARGUMENT has other causes too. */
export function isChecksumRefusal(error: unknown): boolean {
  return hasStatus(error, GRPC.INVALID_ARGUMENT) && /crc32c/i.test(error.message);
}
