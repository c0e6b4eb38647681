import { FairQueue, type Turns } from '../base/fair-queue.ts';
import type { TenantId } from '../base/ids.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { ApiError } from '../errors.ts';

const BOUND = {
  waitingPerOwner: 256,
  waitMs: 2 * DEADLINES_MS.firestore,
  refuse: () => new ApiError('unavailable', 'too many list and report requests in progress'),
};

/** Few reports are read at a time: 10,000 lines need about 30 MB and block the event loop. */
export const REPORT_READS: Turns = {
  what: 'lists and reports being read from Firestore',
  owner: 'tenant',
  running: 8,
  runningPerOwner: 1,
  bound: BOUND,
};

/** An answer counts, and stays in memory, until its client has read it. */
export const REPORT_ANSWERS: Turns = {
  what: 'lists and reports being sent to clients',
  owner: 'tenant',
  running: 32,
  runningPerOwner: 4,
  bound: BOUND,
};

/** Reads a piece of a report once it is the tenant's turn. Between two pieces, a slow client holds up nobody. */
export type InTurn = <Piece>(work: () => Promise<Piece>) => Promise<Piece>;

/** Limits concurrent lists and reports, which can have thousands of documents. */
export class ReportTurns {
  readonly #answers = new FairQueue(REPORT_ANSWERS);
  readonly #reads = new FairQueue(REPORT_READS);

  /**
   * Reads a report, each piece in its tenant's turn. The answer counts against the tenant until `ended`. Throws
   * `unavailable` when the queue is full or the wait too long, and `invalid_request` if the client has disconnected.
   */
  async take<Report>(
    tenantId: TenantId,
    ended: Promise<void>,
    read: (inTurn: InTurn) => Promise<Report>,
  ): Promise<Report> {
    let isGone = false;
    void ended.then(() => {
      isGone = true;
    });
    const answer = await this.#answers.take(tenantId);
    const inTurn: InTurn = (work) =>
      this.#reads.run(tenantId, () => {
        if (isGone) throw new ApiError('invalid_request', 'the connection was closed while the request waited');
        return work();
      });
    try {
      return await read(inTurn);
    } finally {
      void ended.then(() => answer[Symbol.dispose]());
    }
  }
}
