import { FirestoreClient } from '@google-cloud/firestore-api';

/** Throws an `Error` unless Google credentials are found; the client itself would fail later, unreported. */
export async function findGoogleCredentials(file: string | undefined): Promise<void> {
  try {
    await new FirestoreClient().auth.getClient();
  } catch (cause) {
    const where = file
      ? 'the file that GOOGLE_APPLICATION_CREDENTIALS names is missing or holds none'
      : 'GOOGLE_APPLICATION_CREDENTIALS is not set, and no metadata server answers';
    throw new Error(`no credentials for Google Cloud: ${where}`, { cause });
  }
}
