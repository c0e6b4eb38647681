import firestore from '@google-cloud/firestore';

/**
 * Looks for the credentials that Google's clients sign in with, as they do themselves at their first use: where they find
 * none then, they fail where nobody can hear it. `file` is what GOOGLE_APPLICATION_CREDENTIALS names. Throws an `Error`
 * whose message says what is wrong, and its cause how the library found it to be.
 */
export async function findGoogleCredentials(file: string | undefined): Promise<void> {
  try {
    await new firestore.v1.FirestoreClient().auth.getClient();
  } catch (cause) {
    const where = file
      ? 'the file that GOOGLE_APPLICATION_CREDENTIALS names is missing or holds none'
      : 'GOOGLE_APPLICATION_CREDENTIALS is not set, and no metadata server answers';
    throw new Error(`no credentials for Google Cloud: ${where}`, { cause });
  }
}
