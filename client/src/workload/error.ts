/**
 * `unavailable`: the program does not run in such a workload, or lacks the permission. `unreachable`: the workload's
 * endpoint did not answer. `refused`: it answered without a token. `unreadable`: the file has no token.
 */
export type WorkloadErrorReason = 'unavailable' | 'unreachable' | 'refused' | 'unreadable';

/** The workload's ID token could not be had. Its message contains no token. */
export class WorkloadError extends Error {
  override readonly name = 'WorkloadError';
  readonly reason: WorkloadErrorReason;

  constructor(reason: WorkloadErrorReason, message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}
