import { AsyncLocalStorage } from 'node:async_hooks';
import { Firestore, Timestamp } from '@google-cloud/firestore';
import { z } from 'zod';
import { DEADLINES_MS } from '../deadlines.ts';
import { GRPC } from '../grpc/status.ts';
import { READ_AGAIN } from './firestore-api.ts';
import { retry, within } from './within.ts';

declare global {
  namespace FirebaseFirestore {
    interface Firestore {
      _retry<T>(method: string, tag: string, attempt: () => Promise<T>): Promise<T>;
      request<T>(method: string, request: object, tag: string, retried?: number[]): Promise<T>;
    }
  }
}

const COMMIT_AGAIN = [GRPC.RESOURCE_EXHAUSTED, GRPC.UNAVAILABLE];

/** The answer to a commit. For a transaction without writes, it may have no commit time. */
const commitAnswer = z.object({
  commitTime: z.object({ seconds: z.coerce.number(), nanos: z.number() }).nullish(),
});

/** Receives the commit time of a transaction, because Google's class does not return it. */
export const commitTimes = new AsyncLocalStorage<{ at?: Timestamp }>();

/** Firestore's client with retries that end at the deadline. Google's class would retry in the background. */
export class DeadlineFirestore extends Firestore {
  override _retry<T>(_method: string, _tag: string, attempt: () => Promise<T>): Promise<T> {
    return retry(READ_AGAIN, attempt);
  }

  override request<T>(method: string, request: object, tag: string, retried?: number[]): Promise<T> {
    const call = () => super.request<T>(method, request, tag, retried);
    // A rollback changes nothing and frees locks, so it may run after the deadline.
    if (method === 'rollback') return within('firestore rollback', DEADLINES_MS.reconnect, call);
    return method === 'commit' ? retry(COMMIT_AGAIN, call).then(noteCommitTime) : call();
  }
}

function noteCommitTime<T>(answer: T): T {
  const noted = commitTimes.getStore();
  if (noted !== undefined) {
    const { commitTime } = commitAnswer.parse(answer);
    if (commitTime) noted.at ??= new Timestamp(commitTime.seconds, commitTime.nanos);
  }
  return answer;
}
