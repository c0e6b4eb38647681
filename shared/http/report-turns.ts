import { FairQueue, type Limits } from '../base/fair-queue.ts';
import type { TenantId } from '../base/ids.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { ApiError } from '../errors.ts';

/** Few reports are read at a time: 10,000 lines need about 30 MB and block the event loop. */
const READS: Limits = { running: 8, runningPerOwner: 1, waitingPerOwner: 256, waitMs: 2 * DEADLINES_MS.firestore };

/** The most answers at a time. An answer counts, and stays in memory, until its client has read it. */
const ANSWERS: Limits = { ...READS, running: 32, runningPerOwner: 4 };

/** Reads a piece of a report once it is the tenant's turn. Between two pieces, a slow client holds up nobody. */
export type InTurn = <Piece>(work: () => Promise<Piece>) => Promise<Piece>;

/** Limits concurrent lists and reports, which can have thousands of documents. */
export class ReportTurns {
  readonly #answers = new FairQueue(ANSWERS);
  readonly #reads = new FairQueue(READS);

  /**
   * Reads a report, each piece in its tenant's turn. The answer counts against the tenant until `ended`. Throws
   * `unavailable` when the queue is full or the wait too long, and `invalid_request` when the client disconnects.
   */
  async take<Report>(
    tenantId: TenantId,
    ended: Promise<void>,
    read: (inTurn: InTurn) => Promise<Report>,
  ): Promise<Report> {
    const answer = await turnOf(this.#answers, tenantId, ended);
    const inTurn: InTurn = async (work) => {
      using _turn = await turnOf(this.#reads, tenantId, ended);
      return await work();
    };
    try {
      return await read(inTurn);
    } finally {
      void ended.then(() => answer[Symbol.dispose]());
    }
  }
}

function turnOf(queue: FairQueue, tenantId: TenantId, ended: Promise<void>): Promise<Disposable> {
  const { turn, leave } = queue.enter(tenantId, tooMany);
  void ended.then(() => leave(gone()));
  return turn;
}

function tooMany(): ApiError {
  return new ApiError('unavailable', 'too many list and report requests in progress');
}

function gone(): ApiError {
  return new ApiError('invalid_request', 'the connection was closed while the request waited');
}
