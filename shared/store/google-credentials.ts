import { FirestoreClient } from '@google-cloud/firestore-api';

/** Throws an `Error` if no Google credentials are found. Google's client would fail later and not report the cause. */
export async function findGoogleCredentials(file: string | undefined): Promise<void> {
  try {
    await new FirestoreClient().auth.getClient();
  } catch (cause) {
    const reason = file
      ? 'the file named by GOOGLE_APPLICATION_CREDENTIALS is missing or has no credentials'
      : 'GOOGLE_APPLICATION_CREDENTIALS is not set, and no metadata server answered';
    throw new Error(reason, { cause });
  }
}
