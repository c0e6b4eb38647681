import { status } from '@grpc/grpc-js';
import { KmsError } from './kms-error.ts';

const MINUTE_MS = 60_000;

/**
 * Returns what takes one write from a project's quota, and throws RESOURCE_EXHAUSTED when there were `perMinute` in the
 * last minute, as Cloud KMS does (https://docs.cloud.google.com/kms/quotas). Without `perMinute` there is no quota.
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
