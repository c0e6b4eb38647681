import { ask, audienceOf, type WorkloadOptions } from './ask.ts';
import { keptToken } from './kept-token.ts';
import { variable } from './node.ts';

const HOST = 'metadata.google.internal';

/**
 * Returns a function that asks Google's metadata server for an ID token for the API key. Throws a `TypeError` for an
 * invalid `apiKeyId`.
 */
export function googleToken(options: WorkloadOptions): () => Promise<string> {
  const query = new URLSearchParams({ audience: audienceOf(options), format: 'full' });
  return keptToken(async () => {
    const host = variable('GCE_METADATA_HOST') ?? HOST;
    const url = `http://${host}/computeMetadata/v1/instance/service-accounts/default/identity?${query}`;
    return (await ask("Google's metadata server", url, { 'metadata-flavor': 'Google' })).trim();
  });
}
