import { workload } from '../workload/index.ts';
import { EXIT, Failure, wrongUsage } from './failure.ts';

/** A function that returns the credential for a call, and its name for messages. */
export interface CallCredential {
  readonly apiKey: () => Promise<string>;
  readonly source: string;
}

const WORKLOADS = { github: workload.github, google: workload.google };

/** Returns a function that reads the file that `ESK_API_KEY_FILE` names. */
export function credentialFile(path: string): CallCredential {
  const read = workload.file(path);
  const apiKey = async () => {
    const token = await read();
    if (/^[\x21-\x7e]+$/.test(token)) return token;
    throw new Failure(EXIT.local, 'file_error', `${path} does not contain a valid token`);
  };
  return { apiKey, source: 'the token in ESK_API_KEY_FILE' };
}

/** Returns a function for `ESK_WORKLOAD` and `ESK_API_KEY_ID`. Throws a {@link Failure} if one is wrong or missing. */
export function workloadCredential(name: string, apiKeyId: string | undefined): CallCredential {
  if (name !== 'github' && name !== 'google') throw wrongUsage('ESK_WORKLOAD must be github or google');
  if (apiKeyId === undefined) throw wrongUsage('ESK_WORKLOAD also needs ESK_API_KEY_ID, the ID of the API key');
  try {
    return { apiKey: WORKLOADS[name]({ apiKeyId }), source: `the ID token of ESK_WORKLOAD=${name}` };
  } catch {
    throw wrongUsage('ESK_API_KEY_ID must be the ID of an API key, a UUID');
  }
}
