import { fileToken } from './file.ts';
import { githubToken } from './github.ts';
import { googleToken } from './google.ts';

export type { WorkloadOptions } from './ask.ts';
export { WorkloadError, type WorkloadErrorReason } from './error.ts';

/**
 * Functions for the option `apiKey`, which return the ID token of the workload that the program runs in. With them, the
 * program needs no stored secret.
 */
export const workload = {
  /** Reads the token from a file for every call, as in Kubernetes, which replaces the file before the token expires. */
  file: fileToken,
  /** Asks GitHub Actions for a token. The job needs the permission `id-token: write`. */
  github: githubToken,
  /** Asks Google's metadata server for a token of the service account, as on Compute Engine, Cloud Run and GKE. */
  google: googleToken,
} as const;
