/** What `esk` exits with. */
export const EXIT = {
  done: 0,
  /** A failure on this machine: a file, its format, what could not be verified. */
  local: 1,
  /** The command line is wrong. */
  usage: 2,
  /** The service was asked and refused. */
  refused: 3,
  /** The credential is missing, or was refused. */
  credential: 4,
  /** The service, or the identity provider, could not be reached. */
  unreachable: 5,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Why a command failed: what is said of it on standard error, and what the program exits with. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: string;
  readonly exitCode: ExitCode;
  /** The request that failed, where something was asked. */
  readonly requestId: string | undefined;

  constructor(exitCode: ExitCode, code: string, message: string, requestId?: string) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
    this.requestId = requestId;
  }
}

/** A command line that cannot be meant. */
export function wrongUsage(message: string): Failure {
  return new Failure(EXIT.usage, 'usage', message);
}

/** No credential, or one that has come to its end. */
export function noCredential(message: string): Failure {
  return new Failure(EXIT.credential, 'unauthorized', message);
}
