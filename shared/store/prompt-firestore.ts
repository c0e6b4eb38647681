import { Firestore } from '@google-cloud/firestore';
import { GRPC, hasStatus } from '../grpc/status.ts';

declare global {
  namespace FirebaseFirestore {
    interface Firestore {
      _retry<T>(method: string, tag: string, attempt: () => Promise<T>): Promise<T>;
    }
  }
}

const TRANSIENT = [GRPC.CANCELLED, GRPC.UNKNOWN, GRPC.DEADLINE_EXCEEDED, GRPC.INTERNAL, GRPC.UNAVAILABLE];

/**
 * Google's client waits on a timer before every attempt, a millisecond for each query and each read in a transaction; here the
 * first is immediate. To be removed when the client makes its first attempt at once.
 */
export class PromptFirestore extends Firestore {
  override async _retry<T>(method: string, tag: string, attempt: () => Promise<T>): Promise<T> {
    try {
      return await attempt();
    } catch (error) {
      if (!TRANSIENT.some((code) => hasStatus(error, code))) throw error;
      return super._retry(method, tag, attempt);
    }
  }
}
