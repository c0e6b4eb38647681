import { Firestore } from '@google-cloud/firestore';
import { PROJECT_ID } from '../../emulators/base/project.ts';
import { portsOf } from '../../emulators/stack/ports.ts';
import { type Connection, connect } from '../../shared/store/connect.ts';
import type { Addresses } from './client.ts';

/** Returns the service's clients for a stack's Firestore. */
export function connectionOf(stack: Addresses): Connection {
  return connect({ project: PROJECT_ID, firestoreEmulatorHost: `127.0.0.1:${portsOf(stack).firestore}` });
}

/** Google's client for a stack's Firestore, independent of the service. */
export function firestoreOf(stack: Addresses): Firestore {
  const host = `127.0.0.1:${portsOf(stack).firestore}`;
  // The emulator accepts this token as a server’s credential, so Firestore’s security rules do not apply.
  return new Firestore({ projectId: PROJECT_ID, host, ssl: false, customHeaders: { Authorization: 'Bearer owner' } });
}
