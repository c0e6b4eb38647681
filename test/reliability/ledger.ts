import { randomUUID } from 'node:crypto';
import { type Answer, outcome } from '../support/client.ts';
import type { Client } from '../support/tenant.ts';
import { ANSWERED_BY } from './traffic-split.ts';

/** A request, and what is expected of it: success, unless said otherwise. */
export interface Call {
  readonly by: Client;
  /** Method and path. */
  readonly call: string;
  readonly body?: unknown;
  /** The operation that its row in the audit log has, where it leaves one. */
  readonly row?: string;
  /** The key whose operation it is, where that is counted. */
  readonly meters?: KnownKey;
  /** The code of the refusal that is right. */
  readonly refused?: string | undefined;
  /** Whether only the successor has the route, so that other versions answer `404`. */
  readonly onlySuccessor?: boolean;
}

/** What is known of a key. */
export interface KnownKey {
  readonly id: string;
  readonly by: Client;
  /** The version that encrypts. */
  version: number;
  /** How many operations it has performed. */
  ops: number;
  /** What the successor acknowledged last. */
  description: string | null;
  /** The ciphertexts that were acknowledged. */
  readonly kept: Kept[];
}

/** A ciphertext, and the request that opens it. */
export interface Kept {
  readonly version: number;
  readonly call: string;
  readonly body: unknown;
  readonly plaintext: string;
}

/** A request as it ended. */
export interface Ended {
  readonly answeredBy: string;
  readonly isRight: boolean;
  readonly tookMs: number;
}

/** An answer was not the expected one; the ledger has it among its flaws. */
export class Unexpected extends Error {
  override name = 'Unexpected';
}

/** What clients know: what they sent, how it ended, and so what must be stored. */
export class Ledger {
  /** By request id: the row that the request has left, as `operation error_code`. */
  readonly rows = new Map<string, string>();
  readonly keys: KnownKey[] = [];
  readonly flaws: string[] = [];
  readonly #successor: string | undefined;
  #ended: Ended[] = [];

  /** Given the name of the version that is the successor, if one is. */
  constructor(successor: string | undefined) {
    this.#successor = successor;
  }

  /** Sends a request and notes how it ended. Throws {@link Unexpected} when that is not as it should be. */
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

  /** Takes in a key that has just been made. */
  addKey(id: string, by: Client): KnownKey {
    const key: KnownKey = { id, by, version: 1, ops: 0, description: null, kept: [] };
    this.keys.push(key);
    return key;
  }

  /** The requests since the last call. */
  take(): readonly Ended[] {
    const ended = this.#ended;
    this.#ended = [];
    return ended;
  }
}
