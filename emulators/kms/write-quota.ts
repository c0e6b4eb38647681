import { status } from '@grpc/grpc-js';
import { KmsError } from './kms-error.ts';

const MINUTE_MS = 60_000;

/**
 * Returns a function that must be called for each write. The function throws RESOURCE_EXHAUSTED after `perMinute` calls
 * in a minute, as Cloud KMS does (https://docs.cloud.google.com/kms/quotas).
 */
export function makeWriteQuota(perMinute: number | undefined, nowMs = () => performance.now()): () => void {
  if (perMinute === undefined) return () => undefined;
  const takenAt: number[] = [];
  return () => {
    const now = nowMs();
    while (takenAt[0] !== undefined && takenAt[0] <= now - MINUTE_MS) takenAt.shift();
    if (takenAt.length >= perMinute) {
      throw new KmsError(
        status.RESOURCE_EXHAUSTED,
        "Quota exceeded for quota metric 'Write requests' and limit 'Write requests per minute' of service 'cloudkms.googleapis.com'.",
      );
    }
    takenAt.push(now);
  };
}
