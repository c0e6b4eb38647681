import { ask, audienceOf, type WorkloadOptions } from './ask.ts';
import { WorkloadError } from './error.ts';
import { keptToken } from './kept-token.ts';
import { variable } from './node.ts';

const NAME = 'the token endpoint of GitHub Actions';

/**
 * Returns a function that asks GitHub Actions for an ID token for the API key. Throws a `TypeError` for an invalid
 * `apiKeyId`.
 */
export function githubToken(options: WorkloadOptions): () => Promise<string> {
  const audience = audienceOf(options);
  return keptToken(async () => {
    const [address, bearer] = [variable('ACTIONS_ID_TOKEN_REQUEST_URL'), variable('ACTIONS_ID_TOKEN_REQUEST_TOKEN')];
    if (address === undefined || bearer === undefined)
      throw new WorkloadError('unavailable', 'GitHub Actions offers no ID token; give the job `id-token: write`');
    const url = new URL(requireSafe(address));
    url.searchParams.set('audience', audience);
    return tokenIn(await ask(NAME, url.href, { authorization: `Bearer ${bearer}`, accept: 'application/json' }));
  });
}

/** Returns the URL. Throws unless it is https, or http on this machine: the request has a secret. */
function requireSafe(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isLocal = url?.protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url?.protocol === 'https:' || isLocal) return address;
  throw new WorkloadError('unavailable', 'ACTIONS_ID_TOKEN_REQUEST_URL is not an https URL');
}

function tokenIn(text: string): string {
  try {
    const { value } = Object(JSON.parse(text));
    if (typeof value === 'string') return value;
  } catch {
    // The error below is the same.
  }
  throw new WorkloadError('refused', `${NAME} answered without an ID token`);
}
