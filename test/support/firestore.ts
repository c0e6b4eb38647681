import { Firestore } from '@google-cloud/firestore';
import { PROJECT_ID } from '../../emulators/base/project.ts';
import { portsOf } from '../../emulators/stack/ports.ts';
import { type Connection, connect } from '../../shared/store/connect.ts';
import type { Addresses } from './client.ts';

/** The service's own clients of a stack's Firestore. */
export function connectionOf(stack: Addresses): Connection {
  return connect({ project: PROJECT_ID, firestoreEmulatorHost: `127.0.0.1:${portsOf(stack).firestore}` });
}

/** Google's client at a stack's Firestore, past the service. */
export function firestoreOf(stack: Addresses): Firestore {
  const host = `127.0.0.1:${portsOf(stack).firestore}`;
  // The emulator's word for a server that no rule binds.
  return new Firestore({ projectId: PROJECT_ID, host, ssl: false, customHeaders: { Authorization: 'Bearer owner' } });
}
