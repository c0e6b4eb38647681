import type { Firestore, Transaction as FirestoreTransaction, Timestamp } from '@google-cloud/firestore';
import { GRPC, hasStatus } from '../grpc/status.ts';
import { commitTimes } from './deadline-firestore.ts';
import type { Marks } from './marks.ts';
import { Transaction } from './transaction.ts';

const CLOSED_ATTEMPTS = 3;

/**
 * Runs a transaction, and returns the result of `work`. Runs `work` again after a conflict, after a lost answer, and if
 * Firestore closed the transaction. If an attempt was applied and its answer was lost, returns that attempt's result.
 */
export async function runTransaction<T>(
  db: Firestore,
  marks: Marks | undefined,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const before: { value: T; commitMarker: string | undefined }[] = [];
  let latest: Transaction | undefined;
  const committed: { at?: Timestamp } = {};
  const once = async (tx: FirestoreTransaction): Promise<T> => {
    for (const { value, commitMarker } of before) {
      const created = commitMarker && (await tx.get(db.doc(commitMarker))).createTime;
      if (!created) continue;
      committed.at = created;
      return value;
    }
    const transaction = new Transaction(db, tx, marks);
    latest = transaction;
    const value = await work(transaction);
    before.push({ value, commitMarker: transaction.commitMarker });
    return value;
  };
  const attempt = async (left: number): Promise<T> => {
    try {
      const value = await commitTimes.run(committed, () => db.runTransaction(once));
      // A transaction without writes has no commit time.
      if (committed.at !== undefined) latest?.noteApplied(committed.at);
      return value;
    } catch (error) {
      if (left === 0 || !isClosedTransaction(error)) throw error;
      return attempt(left - 1);
    }
  };
  return attempt(CLOSED_ATTEMPTS);
}

/** Whether Firestore closed the transaction, for example to free its locks. Google's client does not retry it. */
function isClosedTransaction(error: unknown): boolean {
  return hasStatus(error, GRPC.INVALID_ARGUMENT) && /transaction is invalid or closed/i.test(error.message);
}
