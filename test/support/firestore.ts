import type { Firestore } from '@google-cloud/firestore';
import { PROJECT_ID } from '../../emulators/base/repository.ts';
import { makeFirestoreClient } from '../../emulators/firestore/server.ts';
import { portsOf } from '../../emulators/stack/ports.ts';
import { connect } from '../../shared/store/connect.ts';
import type { FirestoreApi } from '../../shared/store/firestore-api.ts';
import type { Addresses } from './client.ts';

/** Returns the service's client for a stack's Firestore, for `project`. */
export function apiOf(stack: Addresses, project: string = PROJECT_ID): FirestoreApi {
  return connect({ project, firestoreEmulatorHost: `127.0.0.1:${portsOf(stack).firestore}` });
}

/** Returns Google's client for a stack's Firestore, independent of the service. Security rules do not apply to it. */
export function firestoreOf(stack: Addresses, project?: string): Firestore {
  return makeFirestoreClient(`127.0.0.1:${portsOf(stack).firestore}`, project);
}
