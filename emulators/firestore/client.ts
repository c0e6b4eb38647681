import { Firestore } from '@google-cloud/firestore';
import { PROJECT_ID } from '../base/repository.ts';

/** Returns a client for the emulator at `host:port`. Security rules do not apply to the client. */
export function makeFirestoreClient(emulator: string, projectId: string = PROJECT_ID): Firestore {
  return new Firestore({
    projectId,
    host: emulator,
    ssl: false,
    // The emulator treats this token as a server's credential.
    customHeaders: { Authorization: 'Bearer owner' },
  });
}
