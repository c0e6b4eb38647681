import { randomUUID } from 'node:crypto';
import { type Answer, outcome } from '../support/client.ts';
import type { Client } from '../support/tenant.ts';
import { ANSWERED_BY } from './traffic-split.ts';

/** A request and its expected answer, by default a success. */
export interface Call {
  readonly by: Client;
  /** Method and path. */
  readonly call: string;
  readonly body?: unknown;
  /** The operation of the audit row, if the request writes one. */
  readonly row?: string;
  /** The key, if the request counts as an operation. */
  readonly meters?: KnownKey;
  /** The error code of the expected refusal. */
  readonly refused?: string | undefined;
  /** Whether only the successor has the route. Other versions answer `404`. */
  readonly onlySuccessor?: boolean;
}

export interface KnownKey {
  readonly id: string;
  readonly by: Client;
  /** The primary version. */
  version: number;
  /** The number of operations. */
  ops: number;
  /** The last description that the successor acknowledged. */
  description: string | null;
  /** The acknowledged ciphertexts. */
  readonly kept: Kept[];
}

/** A ciphertext, and the request that decrypts it. */
export interface Kept {
  readonly version: number;
  readonly call: string;
  readonly body: unknown;
  readonly plaintext: string;
}

export interface Ended {
  readonly answeredBy: string;
  readonly isRight: boolean;
  readonly tookMs: number;
}

/** An unexpected answer, which the ledger has recorded as a flaw. */
export class Unexpected extends Error {
  override name = 'Unexpected';
}

/** What clients know: their requests, the answers, and therefore what must be stored. */
export class Ledger {
  /** The audit row of each request by request ID, as `operation error_code`. */
  readonly rows = new Map<string, string>();
  readonly keys: KnownKey[] = [];
  readonly flaws: string[] = [];
  readonly #successor: string | undefined;
  #ended: Ended[] = [];

  /** `successor` is the name of the successor's version, if it takes part. */
  constructor(successor: string | undefined) {
    this.#successor = successor;
  }

  /** Records the answer. Throws {@link Unexpected} if it is not the expected one. */
  async send({ by, call, body, row, meters, refused, onlySuccessor }: Call): Promise<Answer> {
    const [method = '', path = ''] = call.split(' ');
    const id = randomUUID();
    const began = performance.now();
    const answer = await by.send(method, path, body, { headers: { 'x-request-id': id } }).catch(String);
    const tookMs = performance.now() - began;
    const answeredBy = typeof answer === 'string' ? 'none' : (answer.headers.get(ANSWERED_BY) ?? 'none');
    const isUnknown = onlySuccessor === true && answeredBy !== this.#successor;
    const expected = isUnknown ? 'not_found' : refused;
    const ended = typeof answer === 'string' ? answer : outcome(answer);
    const isRight = expected === undefined ? /^2\d\d$/.test(ended) : ended.endsWith(` ${expected}`);
    this.#ended.push({ answeredBy, isRight, tookMs });
    if (!isRight || typeof answer === 'string') {
      this.flaws.push(`${call} was answered ${ended} by the version ${answeredBy}, not ${expected ?? 'well'}`);
      throw new Unexpected();
    }
    if (row !== undefined && !isUnknown) this.rows.set(id, [row, expected ?? []].flat().join(' '));
    if (meters !== undefined && refused === undefined) meters.ops++;
    return answer;
  }

  /** Adds a new key. */
  addKey(id: string, by: Client): KnownKey {
    const key: KnownKey = { id, by, version: 1, ops: 0, description: null, kept: [] };
    this.keys.push(key);
    return key;
  }

  /** Returns the requests since the last call. */
  take(): readonly Ended[] {
    const ended = this.#ended;
    this.#ended = [];
    return ended;
  }
}
