import { DeadlineExceeded } from '../base/deadline.ts';
import { GRPC, hasStatus } from '../grpc/status.ts';

const UNANSWERED = [GRPC.CANCELLED, GRPC.UNKNOWN, GRPC.DEADLINE_EXCEEDED, GRPC.INTERNAL, GRPC.UNAVAILABLE];

/** Whether it is unknown if Firestore applied the call. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof DeadlineExceeded || UNANSWERED.some((code) => hasStatus(error, code));
}

export function isAlreadyExists(error: unknown): boolean {
  return hasStatus(error, GRPC.ALREADY_EXISTS);
}

/** Whether a precondition failed: a document has changed since it was read. */
export function isChanged(error: unknown): boolean {
  return hasStatus(error, GRPC.FAILED_PRECONDITION);
}

export function isNotFound(error: unknown): boolean {
  return hasStatus(error, GRPC.NOT_FOUND);
}
