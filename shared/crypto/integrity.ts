import type { protos } from '@google-cloud/kms';
import { withDeadline } from '../base/deadline.ts';
import { GRPC, hasStatus } from '../base/grpc-status.ts';
import { DEADLINES_MS } from '../config.ts';
import { crc32c } from './crc32c.ts';

type EncryptResponse = protos.google.cloud.kms.v1.IEncryptResponse;
type Bytes = Uint8Array | string | null | undefined;

/** How often a call is made whose bytes were damaged on the way. */
const ATTEMPTS = 3;

/** Bytes were damaged between here and the KMS, in one direction or the other. */
export class ChecksumMismatch extends Error {
  override readonly name = 'ChecksumMismatch';
}

/** Makes a call within its deadline; one whose bytes were damaged on the way is made again, a few times. */
export async function retryDamaged<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await withDeadline('kms', DEADLINES_MS.kms, call());
    } catch (error) {
      if (!(error instanceof ChecksumMismatch) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Throws a {@link ChecksumMismatch} unless the KMS says that it verified both payloads. */
export function refuseUnverified(answer: EncryptResponse): void {
  if (!answer.verifiedPlaintextCrc32c || !answer.verifiedAdditionalAuthenticatedDataCrc32c) {
    throw new ChecksumMismatch('the KMS did not verify what it received');
  }
}

/**
 * The bytes of an answer, its checksum verified: the answer's own, not a copy, so that whoever wipes them leaves none.
 * Throws a {@link ChecksumMismatch}.
 */
export async function verified(bytes: Bytes, crc: unknown): Promise<Buffer> {
  const received = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes ?? '');
  if (String(crc) !== String(await crc32c(received))) throw new ChecksumMismatch('an answer of the KMS was damaged');
  return received;
}

/** The KMS answers a request whose checksum does not fit with INVALID_ARGUMENT too, and names the checksum field. */
export function isChecksumRefusal(error: unknown): boolean {
  return hasStatus(error, GRPC.INVALID_ARGUMENT) && /crc32c/i.test(error.message);
}
