import { FairQueue, type Limits } from '../base/fair-queue.ts';
import type { TenantId } from '../base/ids.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { ApiError } from '../errors.ts';

/** A report of ten thousand lines takes some 30 MB while it is read, and the time of the process that others need. */
const READS: Limits = { running: 8, runningPerOwner: 1, waitingPerOwner: 256, waitMs: 2 * DEADLINES_MS.firestore };

/**
 * An answer is held in memory until its client has taken it. As many of a tenant's may wait as an API key may have in
 * flight: short ones, which nearly all are, are done within moments.
 */
const ANSWERS: Limits = { ...READS, running: 32, runningPerOwner: 4 };

/** Has readers of lists and reports, which may be of thousands of documents, take turns. */
export class ReportTurns {
  readonly #answers = new FairQueue(ANSWERS);
  readonly #reads = new FairQueue(READS);

  /**
   * Reads a report in its tenant's turn. Its answer counts as the tenant's until it has `ended`. Throws `unavailable` when
   * too many of the tenant's wait, or it waited too long, and `invalid_request` when the client goes meanwhile.
   */
  async take<Report>(tenantId: TenantId, ended: Promise<void>, read: () => Promise<Report>): Promise<Report> {
    const answer = await turnOf(this.#answers, tenantId, ended);
    try {
      using _turn = await turnOf(this.#reads, tenantId, ended);
      return await read();
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
