import { z } from 'zod';
import { DEADLINES_MS } from '../deadlines.ts';
import { isFetchable } from '../workload-issuers.ts';
import { type PublishedKey, parseKeySet } from './published-key.ts';

const MAX_BYTES = 256 * 1024;

const discovery = z.object({ issuer: z.string(), jwks_uri: z.string() });

/**
 * Fetches an issuer's public keys, by its discovery document (OpenID Connect Discovery §4). Follows no redirects. Throws
 * if the two documents take too long, are too large, or are malformed.
 */
export async function fetchKeys(issuer: string, isLocal: boolean): Promise<PublishedKey[]> {
  const signal = AbortSignal.timeout(DEADLINES_MS.identity);
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const found = discovery.parse(await fetchJson(url, signal));
  if (found.issuer !== issuer) throw new Error('the discovery document names another issuer');
  if (!isFetchable(found.jwks_uri, isLocal)) throw new Error('jwks_uri is not an https URL');
  return parseKeySet(await fetchJson(found.jwks_uri, signal));
}

async function fetchJson(url: string, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(url, { signal, redirect: 'error', headers: { accept: 'application/json' } });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`the issuer answered with HTTP status ${response.status}`);
  }
  return JSON.parse(await readText(response));
}

/** Reads a body, unpacked, up to the limit. */
async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    // Leaving the loop cancels the body.
    if (length > MAX_BYTES) throw new Error(`the issuer's document has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
