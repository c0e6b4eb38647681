import { EncryptionServiceError, type ErrorCode } from '../errors.ts';
import type { Answer, CallOptions, EncryptionServiceOptions, OperationId } from '../types.ts';
import { type Answered, attempt } from './attempt.ts';
import { Deadline } from './deadline.ts';
import { Unanswered } from './exchange.ts';
import { failure } from './failure.ts';
import type { Input } from './prepared.ts';
import { type Prepared, prepare } from './prepared.ts';
import type { Call, Recovery } from './recovery.ts';
import { checksFirst } from './repetition.ts';
import { readOptions, readTimeout, type Settings } from './settings.ts';

/** Calls one service with one credential. */
export class Connection {
  readonly #settings: Settings;

  /** Throws a `TypeError` for invalid options. */
  constructor(options: EncryptionServiceOptions) {
    this.#settings = readOptions(options);
  }

  /** Calls an operation. Retries within the deadline if a retry is safe. Throws an `EncryptionServiceError`. */
  async call<Id extends OperationId>(
    operation: Id,
    input: Input<Id>,
    options: CallOptions,
    recovery?: Recovery<Id>,
  ): Promise<Answer<Id>> {
    const prepared = prepare(operation, input);
    const answered = await this.#inTime(options, (deadline) => this.#callWithRetries(prepared, deadline, recovery));
    return answered.answer;
  }

  /**
   * Yields the pages of a list. Each page has a separate deadline. Reads its arguments at once. If they are invalid, the
   * first page fails.
   */
  pages<Id extends OperationId>(
    operation: Id,
    input: Input<Id>,
    { signal, timeoutMs }: CallOptions,
  ): AsyncGenerator<Answer<Id>, void> {
    const prepared = (async () => prepare(operation, input))();
    prepared.catch(() => undefined);
    return this.#pages(prepared, { signal, timeoutMs });
  }

  async *#pages<Id extends OperationId>(
    prepared: Promise<Prepared<Id>>,
    options: CallOptions,
  ): AsyncGenerator<Answer<Id>, void> {
    const first = await prepared;
    let query: string | undefined = first.query;
    while (query !== undefined) {
      const page: Prepared<Id> = { ...first, query };
      const answered: Answered<Id> = await this.#inTime(options, (deadline) => this.#callWithRetries(page, deadline));
      yield answered.answer;
      query = nextPage(answered.link);
    }
  }

  async #inTime<T>(options: CallOptions, work: (deadline: Deadline) => Promise<T>): Promise<T> {
    const { timeoutMs = this.#settings.timeoutMs, signal } = options;
    const deadline = new Deadline(readTimeout(timeoutMs), signal);
    try {
      return await work(deadline);
    } finally {
      deadline.end();
    }
  }

  async #callWithRetries<Id extends OperationId>(
    prepared: Prepared<Id>,
    deadline: Deadline,
    recovery?: Recovery<Id>,
  ): Promise<Answered<Id>> {
    const call: Call = async (operation, input) => {
      const { answer } = await this.#callWithRetries(prepare(operation, input), deadline);
      return answer;
    };
    const find = async () => {
      const found = await recovery?.find(call, prepared.requestId).catch((error) => {
        throw unknownResult(prepared, error);
      });
      return found && { ...found, link: undefined };
    };
    let wasLost = false;
    for (let retry = 0; ; retry++) {
      try {
        return await withExplainedErrors(prepared, deadline, () => attempt(this.#settings, prepared, deadline));
      } catch (error) {
        if (!(error instanceof EncryptionServiceError)) throw error;
        const settled = wasLost && recovery?.codesIfDone.includes(error.code) ? await find() : undefined;
        if (settled !== undefined) return settled;
        const isUnknown = error.code === 'answer_lost' && checksFirst(prepared.operation);
        const pause = backoff(retry);
        if (!(error.retryable || isUnknown) || retry === this.#settings.maxRetries || !deadline.allows(pause)) {
          // `unreachable` says that nothing was sent, which is true only of the last attempt.
          const mayBeDone = error.code === 'unreachable' || (error.retryable && checksFirst(prepared.operation));
          throw wasLost && mayBeDone ? unknownResult(prepared, error) : error;
        }
        await withExplainedErrors(prepared, deadline, () => deadline.pause(pause));
        wasLost ||= error.code === 'answer_lost';
        const found = isUnknown ? await find() : undefined;
        if (found !== undefined) return found;
      }
    }
  }
}

/** Converts errors to `EncryptionServiceError`, except errors of the caller's `apiKey` or `accessToken` function. */
async function withExplainedErrors<T>(
  { operation, requestId }: Prepared<OperationId>,
  deadline: Deadline,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await deadline.within(work());
  } catch (error) {
    if (error instanceof EncryptionServiceError) throw error;
    const details = { requestId, cause: deadline.reason === 'aborted' ? deadline.signal.reason : error };
    if (deadline.reason === 'aborted') throw failure(operation, 'aborted', 'the call was aborted', details);
    if (deadline.reason !== undefined)
      throw failure(operation, deadline.reason, 'the service did not respond in time', details);
    if (!(error instanceof Unanswered)) throw error;
    if (error.neverSent)
      throw failure(
        operation,
        'unreachable',
        'could not connect to the service; check its URL and your network',
        details,
      );
    throw failure(
      operation,
      'answer_lost',
      'the connection closed before the response arrived; the service may have performed the operation',
      details,
    );
  }
}

/** The codes which already say that the result is unknown. */
const SAYS_UNKNOWN = new Set<ErrorCode>(['answer_lost', 'aborted', 'deadline_exceeded']);

/** Returns the error for a call whose result is unknown, after a later request of the call failed with this error. */
function unknownResult({ operation, requestId }: Prepared<OperationId>, error: unknown): EncryptionServiceError {
  const isExact = error instanceof EncryptionServiceError && SAYS_UNKNOWN.has(error.code);
  if (isExact) return failure(operation, error.code, error.message, { requestId, cause: error.cause });
  const message = 'the response was lost, and the operation may have succeeded; check before you retry';
  return failure(operation, 'answer_lost', message, { requestId, cause: error });
}

/**
 * Returns the query of the next page, with `?`, from a `Link` header (RFC 8288), or `undefined` if there is no next
 * page.
 */
export function nextPage(link: string | undefined): string | undefined {
  const links = [...(link ?? '').matchAll(/<([^<>]*)>([^<]*)/g)];
  const [, target = ''] = links.find(([, , relation = '']) => /\brel="?next\b/.test(relation)) ?? [];
  // Use only the query, so that a response cannot send the credential to another address.
  const at = target.indexOf('?');
  return at === -1 ? undefined : target.slice(at);
}

const FIRST_MS = 200;
const LONGEST_MS = 5_000;

/** Returns a random wait in milliseconds, so that callers do not retry together. The upper limit doubles each time. */
export function backoff(retry: number): number {
  return Math.random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** retry);
}
