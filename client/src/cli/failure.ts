export const EXIT = {
  done: 0,
  /** The failure is local: a file, its format, or a failed verification. */
  local: 1,
  /** The command line is wrong. */
  usage: 2,
  refused: 3,
  /** The credential is missing or was refused. */
  credential: 4,
  /** The service or the identity provider is unreachable. */
  unreachable: 5,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: string;
  readonly exitCode: ExitCode;
  readonly requestId: string | undefined;

  constructor(exitCode: ExitCode, code: string, message: string, requestId?: string) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
    this.requestId = requestId;
  }
}

export function wrongUsage(message: string): Failure {
  return new Failure(EXIT.usage, 'usage', message);
}

/** A missing or expired credential. */
export function noCredential(message: string): Failure {
  return new Failure(EXIT.credential, 'unauthorized', message);
}
