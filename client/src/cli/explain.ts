import { getSystemErrorMap } from 'node:util';
import { CommanderError } from 'commander';
import { EncryptionServiceError, type ErrorCode, isApiErrorCode } from '../errors.ts';
import { FormatError } from '../files/format-error.ts';
import { oneLine } from '../visible-text.ts';
import { WorkloadError, type WorkloadErrorReason } from '../workload/error.ts';
import { EXIT, type ExitCode, Failure, wrongUsage } from './failure.ts';

/** The exit status for each error code. A code that is not listed means that the service refused the request. */
const EXIT_OF_CODE: Partial<Record<ErrorCode, ExitCode>> = {
  unauthorized: EXIT.credential,
  unreachable: EXIT.unreachable,
  answer_lost: EXIT.unreachable,
  deadline_exceeded: EXIT.unreachable,
  invalid_answer: EXIT.unreachable,
  aborted: EXIT.local,
};

const RUN_DOCTOR = 'run esk doctor to find the cause';

/** The exit status if a workload's token could not be had. */
const EXIT_OF_WORKLOAD: Readonly<Record<WorkloadErrorReason, ExitCode>> = {
  unavailable: EXIT.credential,
  refused: EXIT.credential,
  unreachable: EXIT.unreachable,
  unreadable: EXIT.local,
};

/** What to do after an error, at the end of its message. */
const HINTS: Partial<Record<ErrorCode, string>> = {
  api_key_required: 'set ESK_API_KEY to the token of an API key',
  internal_error: RUN_DOCTOR,
  invalid_ciphertext:
    'either it was encrypted with another key or context, or it was altered, or a rotation destroyed the key version that encrypted it',
  session_required:
    'sign in with esk login, and unset ESK_API_KEY, ESK_API_KEY_FILE and ESK_WORKLOAD, which esk uses instead of the sign-in',
  unauthorized: RUN_DOCTOR,
  unavailable: RUN_DOCTOR,
  unreachable: RUN_DOCTOR,
};

/** Converts any error to a `Failure` with a code, a message and an exit status. */
export function explain(error: unknown): Failure {
  const own = failureIn(error);
  if (own !== undefined) return own;
  if (error instanceof EncryptionServiceError) {
    const exitCode = EXIT_OF_CODE[error.code] ?? EXIT.refused;
    const requestId = error.code === 'unreachable' ? undefined : error.requestId;
    const help = isApiErrorCode(error.code)
      ? `look up ${error.code} on the page Troubleshooting of the documentation`
      : undefined;
    const message = [error.message, HINTS[error.code], help].filter((part) => part !== undefined).join('; ');
    return new Failure(exitCode, error.code, message, requestId);
  }
  if (error instanceof WorkloadError) return new Failure(EXIT_OF_WORKLOAD[error.reason], 'no_token', error.message);
  if (error instanceof FormatError) return new Failure(EXIT.local, error.code, error.message);
  if (error instanceof CommanderError) return wrongUsage(usageOf(error));
  if (isSystemError(error)) return new Failure(EXIT.local, 'file_error', describe(error));
  return new Failure(EXIT.local, 'failed', error instanceof Error ? error.message : String(error));
}

/**
 * Runs a task with a file's context. If the file cannot be decrypted and the context can be written as different texts
 * that look alike (Unicode normalization forms), the error says so.
 */
export async function withContextHint<T>(context = '', task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    const { exitCode, code, message, requestId } = explain(error);
    const other = context === context.normalize('NFC') ? 'NFD' : 'NFC';
    if (code !== 'invalid_ciphertext' || context === context.normalize(other)) throw error;
    const hint = `the context may have been written in Unicode's form ${other} before, which looks the same`;
    throw new Failure(exitCode, code, `${message}; ${hint}`, requestId);
  }
}

/** Runs a task. Returns its error as a `Failure`, or `undefined` if it succeeds. */
export async function failureOf(task: () => Promise<unknown>): Promise<Failure | undefined> {
  try {
    await task();
    return undefined;
  } catch (error) {
    return explain(error);
  }
}

/** Returns the `Failure` among an error's causes: the library wraps a `Failure` that a session throws. */
function failureIn(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error;
  return error instanceof Error ? failureIn(error.cause) : undefined;
}

/** Returns the line `esk: CODE: message (request ID)`. */
export function errorLine({ code, message, requestId }: Failure): string {
  return oneLine(`esk: ${code}: ${message}${requestId === undefined ? '' : ` (request ${requestId})`}`);
}

/** Returns commander's message without the value of an unknown option, which may be a secret. */
function usageOf({ code, message }: CommanderError): string {
  if (code !== 'commander.unknownOption') return message.replace(/^error: /, '');
  const [flag = ''] = /--[^=']*|-[^-]/.exec(message) ?? [];
  const suggestion = message.slice(message.lastIndexOf("'") + 1);
  return `unknown option '${flag}'${suggestion}`;
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'errno' in error && 'syscall' in error;
}

function describe({ errno = 0, path, syscall, message }: NodeJS.ErrnoException): string {
  const [, what = message] = getSystemErrorMap().get(errno) ?? [];
  return `${path ?? syscall}: ${what}`;
}
