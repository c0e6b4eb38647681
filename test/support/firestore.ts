import type { Firestore } from '@google-cloud/firestore';
import { z } from 'zod';
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

/** Runs `work` with a client of the stack's Firestore that bypasses Firestore's security rules. */
export async function withStore<T>(stack: Addresses, work: (store: Firestore) => Promise<T>): Promise<T> {
  const store = firestoreOf(stack);
  try {
    return await work(store);
  } finally {
    await store.terminate();
  }
}

/** The emulator accepts this token as a server’s credential, so Firestore’s security rules do not apply. */
const HEADERS = { authorization: 'Bearer owner', 'content-type': 'application/json' };

const collections = z.object({ collectionIds: z.array(z.string()) });
const page = z.object({
  documents: z.array(z.object({ name: z.string() }).loose()).default([]),
  nextPageToken: z.string().optional(),
});

/**
 * Returns the documents of one collection, or of all collections, in a stack’s Firestore, keyed by path. The documents
 * are in the JSON format of Firestore’s REST API.
 */
export async function documentsOf(stack: Addresses, collection?: string): Promise<Map<string, Buffer>> {
  const documents = new Map<string, Buffer>();
  const { collectionIds } = collections.parse(await askFirestore(stack, 'POST', ':listCollectionIds'));
  for (const id of collectionIds.filter((one) => collection === undefined || collection === one)) {
    for (let token: string | undefined = ''; token !== undefined; ) {
      const listed = page.parse(await askFirestore(stack, 'GET', `/${id}?pageSize=300&pageToken=${token}`));
      for (const one of listed.documents) {
        documents.set(one.name.split('/documents/')[1] ?? '', Buffer.from(JSON.stringify(one)));
      }
      token = listed.nextPageToken;
    }
  }
  return documents;
}

/** Reads one document, in the format of {@link documentsOf}. */
export function readDocument(stack: Addresses, path: string): Promise<unknown> {
  return askFirestore(stack, 'GET', `/${path}`);
}

/** Writes one field of a document directly in the store. */
export async function patchDocument(stack: Addresses, path: string, field: string, value: unknown): Promise<void> {
  await askFirestore(stack, 'PATCH', `/${path}?updateMask.fieldPaths=${field}`, { fields: { [field]: value } });
}

/** Sends a request to the REST API of a stack’s Firestore. `path` is appended to the address of the documents. */
export async function askFirestore(stack: Addresses, method: string, path: string, body?: unknown): Promise<unknown> {
  const port = portsOf(stack).firestore;
  const root = `http://127.0.0.1:${port}/v1/projects/demo-encryption/databases/(default)/documents`;
  const response = await fetch(root + path, {
    method,
    headers: HEADERS,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}
