import { Firestore } from '@google-cloud/firestore';
import { PROJECT_ID } from '../base/project.ts';

/** A client of the emulator at host:port, to which security rules do not apply. */
export function makeFirestoreClient(emulator: string): Firestore {
  return new Firestore({
    projectId: PROJECT_ID,
    host: emulator,
    ssl: false,
    // What the emulator takes for a server's credential.
    customHeaders: { Authorization: 'Bearer owner' },
  });
}
