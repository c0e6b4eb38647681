import { Firestore } from '@google-cloud/firestore';
import { GRPC, hasStatus } from '../base/grpc-status.ts';

declare global {
  namespace FirebaseFirestore {
    interface Firestore {
      /** The client's own: makes an attempt at a read or a query, and more of them while it fails for what may pass. */
      _retry<T>(method: string, tag: string, attempt: () => Promise<T>): Promise<T>;
    }
  }
}

/** What may have passed at the next attempt. */
const PASSING = [GRPC.CANCELLED, GRPC.UNKNOWN, GRPC.DEADLINE_EXCEEDED, GRPC.INTERNAL, GRPC.UNAVAILABLE];

/**
 * Google's client, which waits on a timer before every attempt, the first included: a millisecond for nothing at each of an
 * operation's reads. Here the first attempt is made at once, and those after it are left to the client.
 */
export class PromptFirestore extends Firestore {
  override async _retry<T>(method: string, tag: string, attempt: () => Promise<T>): Promise<T> {
    try {
      return await attempt();
    } catch (error) {
      if (!PASSING.some((code) => hasStatus(error, code))) throw error;
      return super._retry(method, tag, attempt);
    }
  }
}
