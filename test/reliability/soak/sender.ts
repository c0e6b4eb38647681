import { randomUUID } from 'node:crypto';
import { EncryptionServiceError } from '../../../client/src/errors.ts';
import { EncryptionService } from '../../../client/src/service.ts';
import { codeOf } from '../../support/seen.ts';
import type { Disturbances } from './disturbances.ts';
import { BETWEEN, type When } from './ledger.ts';
import { type MovedClock, monthOf } from './moved-clock.ts';

/** The time limit for an answer. It is longer than all deadlines of the service, which must answer every request. */
const ANSWER_DEADLINE_MS = 30_000;

/** Kinds of requests. All requests of a kind should take about the same time. */
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

/** A time (`at`, from `performance.now()`) and a duration in milliseconds. */
export interface Timed {
  readonly at: number;
  readonly tookMs: number;
}

/** A request with a good answer. */
export interface Sent extends Timed {
  readonly kind: Kind;
}

/** Who sends a request. */
export type Caller =
  | { readonly apiKey: string }
  /** A function that resolves to an access token. */
  | { readonly person: () => Promise<string> }
  | { readonly nobody: true };

/** The result of a request, without its time. */
type Attempt<Answer> = { readonly requestId: string } & (
  | { readonly done: Answer }
  /** The status and the error code, such as `500 internal_error`. */
  | { readonly refused: string }
);

export type Reply<Answer> = Attempt<Answer> & { readonly when: When };

/** A request for which the client library has no method. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body. A string is sent unchanged, anything else as JSON. */
  readonly body?: unknown;
}

/** Refusals that a fault can explain. `400` is the status of a batch in which all items failed. */
const FAILURE = /^(?:500 internal_error|503 unavailable|400 (?:internal_error|unavailable))$/;

/** Sends requests, each with a deadline, and notes wrong answers. */
export class Sender {
  readonly sent: Sent[] = [];
  /** The number of requests that were refused because of each fault. */
  readonly refusals = new Map<string, number>();
  readonly #baseUrl: string;
  readonly #clock: MovedClock;
  readonly #disturbances: Disturbances;
  readonly #flaw: (words: string) => void;

  constructor(baseUrl: string, clock: MovedClock, disturbances: Disturbances, flaw: (words: string) => void) {
    this.#baseUrl = baseUrl;
    this.#clock = clock;
    this.#disturbances = disturbances;
    this.#flaw = flaw;
  }

  /** Calls the service with the client library, without its retries. `good` is the refusal that is expected, if any. */
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
        timeoutMs: ANSWER_DEADLINE_MS,
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

  /** Sends a request, and returns the body of its answer. */
  raw(kind: Kind, { method, path, headers, body }: RawRequest, good?: string): Promise<Reply<unknown>> {
    return this.#note(kind, good, async () => {
      const requestId = randomUUID();
      const isText = typeof body === 'string';
      try {
        const answer = await fetch(`${this.#baseUrl}${path}`, {
          method,
          headers: { 'x-request-id': requestId, ...(body !== undefined && !isText && JSON_BODY), ...headers },
          signal: AbortSignal.timeout(ANSWER_DEADLINE_MS),
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
    else this.noteRefusal(kind, result.refused, at, endedAt);
    return { ...result, when };
  }

  /** Notes a refusal. Reports it as a wrong answer unless a fault explains it. */
  noteRefusal(kind: Kind, refused: string, from: number, to: number): void {
    const disturbance = this.#disturbances.during(from, to);
    if (disturbance === undefined) this.#flaw(`${kind}: ${refused} without a fault`);
    else if (!FAILURE.test(refused)) this.#flaw(`${kind}: ${refused} during ${disturbance}`);
    else this.refusals.set(disturbance, (this.refusals.get(disturbance) ?? 0) + 1);
  }
}

const JSON_BODY = { 'content-type': 'application/json' };

async function credentialOf(caller: Caller) {
  if ('nobody' in caller) return {};
  if ('apiKey' in caller) return caller;
  const token = await caller.person();
  return { accessToken: () => token };
}
