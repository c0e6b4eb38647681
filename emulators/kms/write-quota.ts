import { status } from '@grpc/grpc-js';
import { KmsError } from './kms-error.ts';

const minuteMs = 60_000;

/**
 * What takes one write from a project's quota, or throws RESOURCE_EXHAUSTED as Cloud KMS does past it
 * (https://docs.cloud.google.com/kms/quotas). A write comes back a minute after it was taken. Without `perMinute` nothing is refused.
 */
export const makeWriteQuota = (perMinute: number | undefined, nowMs = () => performance.now()): (() => void) => {
  if (perMinute === undefined) return () => undefined;
  const takenAt: number[] = [];
  return () => {
    const now = nowMs();
    while (takenAt[0] !== undefined && takenAt[0] <= now - minuteMs) takenAt.shift();
    if (takenAt.length >= perMinute) {
      throw new KmsError(
        status.RESOURCE_EXHAUSTED,
        "Quota exceeded for quota metric 'Write requests' and limit 'Write requests per minute' of service 'cloudkms.googleapis.com'.",
      );
    }
    takenAt.push(now);
  };
};
