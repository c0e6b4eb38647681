/** The codes that the service distinguishes (google.rpc.Code). */
export const GRPC = {
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  INTERNAL: 13,
  UNAVAILABLE: 14,
} as const;

/** Whether an error has this gRPC status. */
export function hasStatus(error: unknown, code: number): error is Error & { code: number } {
  return error instanceof Error && 'code' in error && error.code === code;
}
