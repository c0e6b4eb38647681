import { randomUUID } from 'node:crypto';
import { EncryptionServiceError } from '../../../client/src/errors.ts';
import { EncryptionService } from '../../../client/src/service.ts';
import { codeOf } from '../../support/seen.ts';
import { BETWEEN, type When } from './ledger.ts';
import { type MovedClock, monthOf } from './moved-clock.ts';
import type { Troubles } from './troubles.ts';

/** Longer than any deadline of the service. */
const ANSWERED_WITHIN_MS = 30_000;

/** Requests of one kind should take equally long. */
export type Kind =
  | 'operations with a data key in memory'
  | 'operations in the KMS'
  | 'Transit'
  | 'changes of keys'
  | 'changes in the console'
  | 'reads of keys'
  | 'reads in the console'
  | 'usage and statements'
  | 'audit log'
  | 'health and documents';

/** `at` is a time of `performance.now()`. */
export interface Timed {
  readonly at: number;
  readonly tookMs: number;
}

/** A request with the right answer. */
export interface Sent extends Timed {
  readonly kind: Kind;
}

export type Caller =
  | { readonly apiKey: string }
  /** Resolves to an access token. */
  | { readonly person: () => Promise<string> }
  | { readonly nobody: true };

/** The result of a request, without its time. */
type Attempt<Answer> = { readonly requestId: string } & (
  | { readonly done: Answer }
  /** Status and code, such as `500 internal_error`. */
  | { readonly refused: string }
);

export type Reply<Answer> = Attempt<Answer> & { readonly when: When };

/** A request for which the client library has no method. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text is sent unchanged, anything else as JSON. */
  readonly body?: unknown;
}

/** The answers that a fault explains. A batch is answered with 400 if all its items failed. */
const FAILURE = /^(?:500 internal_error|503 unavailable|400 (?:internal_error|unavailable))$/;

/** Sends requests with a deadline, and records wrong answers. */
export class Sender {
  readonly sent: Sent[] = [];
  /** The number of refused requests, by the fault that explains them. */
  readonly refusals = new Map<string, number>();
  readonly #baseUrl: string;
  readonly #clock: MovedClock;
  readonly #troubles: Troubles;
  readonly #flaw: (words: string) => void;

  constructor(baseUrl: string, clock: MovedClock, troubles: Troubles, flaw: (words: string) => void) {
    this.#baseUrl = baseUrl;
    this.#clock = clock;
    this.#troubles = troubles;
    this.#flaw = flaw;
  }

  /** Calls the service with the client library, without retries. `good` is a refusal that is the right answer. */
  async call<Answer>(
    kind: Kind,
    caller: Caller,
    work: (service: EncryptionService) => Promise<Answer>,
    good?: string,
  ): Promise<Reply<Answer>> {
    const credential = await credentialOf(caller);
    return this.#note(kind, good, async () => {
      let requestId = '';
      const service = new EncryptionService({
        url: this.#baseUrl,
        ...credential,
        timeoutMs: ANSWERED_WITHIN_MS,
        maxRetries: 0,
        fetch(input, init) {
          requestId = new Headers(init?.headers).get('x-request-id') ?? '';
          return fetch(input, init);
        },
      });
      try {
        const done = await work(service);
        return { requestId, done };
      } catch (error) {
        if (!(error instanceof EncryptionServiceError)) throw error;
        return { requestId, refused: `${error.status ?? 'no answer:'} ${error.code}` };
      }
    });
  }

  /** Returns the body of the answer. */
  raw(kind: Kind, { method, path, headers, body }: RawRequest, good?: string): Promise<Reply<unknown>> {
    return this.#note(kind, good, async () => {
      const requestId = randomUUID();
      const isText = typeof body === 'string';
      try {
        const answer = await fetch(`${this.#baseUrl}${path}`, {
          method,
          headers: { 'x-request-id': requestId, ...(body !== undefined && !isText && JSON_BODY), ...headers },
          signal: AbortSignal.timeout(ANSWERED_WITHIN_MS),
          ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
        });
        const text = await answer.text();
        const done: unknown = text === '' ? undefined : JSON.parse(text);
        return answer.ok ? { requestId, done } : { requestId, refused: `${answer.status} ${codeOf(done)}` };
      } catch (error) {
        return { requestId, refused: `no answer: ${error instanceof Error ? error.name : error}` };
      }
    });
  }

  async #note<Answer>(
    kind: Kind,
    good: string | undefined,
    attempt: () => Promise<Attempt<Answer>>,
  ): Promise<Reply<Answer>> {
    const at = performance.now();
    const began = monthOf(this.#clock.now());
    const result = await attempt();
    const endedAt = performance.now();
    const when = monthOf(this.#clock.now()) === began ? began : BETWEEN;
    if (!('refused' in result) || result.refused === good) this.sent.push({ kind, at, tookMs: endedAt - at });
    else this.explain(kind, result.refused, at, endedAt);
    return { ...result, when };
  }

  /** Records a refusal. It is a flaw unless a fault explains it. */
  explain(kind: Kind, refused: string, from: number, to: number): void {
    const trouble = this.#troubles.during(from, to);
    if (trouble === undefined) this.#flaw(`${kind}: ${refused} without a fault`);
    else if (!FAILURE.test(refused)) this.#flaw(`${kind}: ${refused} during ${trouble}`);
    else this.refusals.set(trouble, (this.refusals.get(trouble) ?? 0) + 1);
  }
}

const JSON_BODY = { 'content-type': 'application/json' };

async function credentialOf(caller: Caller) {
  if ('nobody' in caller) return {};
  if ('apiKey' in caller) return caller;
  const token = await caller.person();
  return { accessToken: () => token };
}
