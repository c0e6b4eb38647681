import { isOver, type Moment, thisMoment } from '../records/age.ts';

/** A token is fetched again this long before it expires. */
const MARGIN_MS = 60_000;

/** Returns a function that fetches a token, and returns the same token until shortly before it expires. */
export function keptToken(fetchToken: () => Promise<string>): () => Promise<string> {
  let kept: { readonly token: string; readonly since: Moment; readonly lifetimeMs: number } | undefined;
  let fetching: Promise<string> | undefined;
  const renew = async (): Promise<string> => {
    const since = thisMoment();
    const token = await fetchToken();
    kept = { token, since, lifetimeMs: expiryOf(token) - MARGIN_MS - since.wall };
    return token;
  };
  return async () => {
    if (kept !== undefined && !isOver(kept.since, kept.lifetimeMs)) return kept.token;
    fetching ??= renew().finally(() => {
      fetching = undefined;
    });
    return fetching;
  };
}

/** Returns when a JWT expires, in milliseconds since the epoch, or 0 if it does not say so. */
function expiryOf(token: string): number {
  try {
    const [, payload = ''] = token.split('.');
    const { exp } = Object(JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))));
    return typeof exp === 'number' ? exp * 1000 : 0;
  } catch {
    return 0;
  }
}
