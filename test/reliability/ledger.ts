import { randomUUID } from 'node:crypto';
import { type Answer, outcome } from '../support/client.ts';
import type { Client } from '../support/tenant.ts';
import { ANSWERED_BY } from './traffic-split.ts';

/** A request with its expected outcome, which is success by default. */
export interface Call {
  readonly by: Client;
  /** Method and path. */
  readonly call: string;
  readonly body?: unknown;
  /** The operation in the request’s audit row, if the request is recorded. */
  readonly row?: string;
  /** The key for which the operation must be counted, if any. */
  readonly meters?: KnownKey;
  /** The expected error code. */
  readonly refused?: string | undefined;
  /** Whether only the successor, which simulates the next release, has the route. Other versions must answer `404`. */
  readonly onlySuccessor?: boolean;
}

/** What clients know about a key. */
export interface KnownKey {
  readonly id: string;
  readonly by: Client;
  /** The number of the version that encrypts. */
  version: number;
  /** The number of operations that were performed. */
  ops: number;
  /** The last description that the successor acknowledged. */
  description: string | null;
  /** The ciphertexts that the service acknowledged. */
  readonly kept: KeptCiphertext[];
}

/** A ciphertext, and the request that decrypts it. */
export interface KeptCiphertext {
  readonly version: number;
  readonly call: string;
  readonly body: unknown;
  readonly plaintext: string;
}

/** The result of a request. `answeredBy` is the name of the version that answered. */
export interface RequestResult {
  readonly answeredBy: string;
  readonly isExpected: boolean;
  readonly tookMs: number;
}

/** Thrown if an answer differs from the expected answer. The ledger's `flaws` list the difference as well. */
export class UnexpectedAnswer extends Error {
  override name = 'UnexpectedAnswer';
}

/** Records the requests of clients and the answers, and so what the service must have stored. */
export class Ledger {
  /** The audit row of each request, by request id, as `operation error_code`. */
  readonly rows = new Map<string, string>();
  readonly keys: KnownKey[] = [];
  readonly flaws: string[] = [];
  readonly #successor: string | undefined;
  #results: RequestResult[] = [];

  /** `successor` is the name of the version that simulates the next release, if one is used. */
  constructor(successor: string | undefined) {
    this.#successor = successor;
  }

  /** Sends a request and records its result. Throws {@link UnexpectedAnswer} if the result is not the expected one. */
  async send({ by, call, body, row, meters, refused, onlySuccessor }: Call): Promise<Answer> {
    const [method = '', path = ''] = call.split(' ');
    const id = randomUUID();
    const began = performance.now();
    const answer = await by.send(method, path, body, { headers: { 'x-request-id': id } }).catch(String);
    const tookMs = performance.now() - began;
    const answeredBy = typeof answer === 'string' ? 'none' : (answer.headers.get(ANSWERED_BY) ?? 'none');
    const isUnknown = onlySuccessor === true && answeredBy !== this.#successor;
    const expected = isUnknown ? 'not_found' : refused;
    const actual = typeof answer === 'string' ? answer : outcome(answer);
    const isExpected = expected === undefined ? /^2\d\d$/.test(actual) : actual.endsWith(` ${expected}`);
    this.#results.push({ answeredBy, isExpected, tookMs });
    if (!isExpected || typeof answer === 'string') {
      this.flaws.push(`${call} was answered ${actual} by the version ${answeredBy}, expected ${expected ?? 'success'}`);
      throw new UnexpectedAnswer();
    }
    if (row !== undefined && !isUnknown) this.rows.set(id, [row, expected ?? []].flat().join(' '));
    if (meters !== undefined && refused === undefined) meters.ops++;
    return answer;
  }

  /** Adds a key that was just created. */
  addKey(id: string, by: Client): KnownKey {
    const key: KnownKey = { id, by, version: 1, ops: 0, description: null, kept: [] };
    this.keys.push(key);
    return key;
  }

  /** Returns the results that were recorded since the last call of `takeResults`. */
  takeResults(): readonly RequestResult[] {
    const results = this.#results;
    this.#results = [];
    return results;
  }
}
