import { Firestore } from '@google-cloud/firestore';
import { PROJECT_ID } from '../../emulators/base/project.ts';
import { portsOf } from '../../emulators/stack/ports.ts';
import type { Addresses } from './client.ts';

/** Google's client at a stack's Firestore, past the service. */
export function firestoreOf(stack: Addresses): Firestore {
  const host = `127.0.0.1:${portsOf(stack).firestore}`;
  // The emulator's word for a server that no rule binds.
  return new Firestore({ projectId: PROJECT_ID, host, ssl: false, customHeaders: { Authorization: 'Bearer owner' } });
}
