import { isOver, type Moment, thisMoment } from '../records/age.ts';

/** A token is fetched again this long before it expires, and no sooner than this long after it was fetched. */
const MARGIN_MS = 60_000;

/** Under this name, the function that {@link keptToken} returns has a function that drops the token. */
const DROP = Symbol('drop');

interface KeptToken {
  (): Promise<string>;
  readonly [DROP]: () => void;
}

/** Returns a function that fetches a token, and returns the same token until shortly before it expires. */
export function keptToken(fetchToken: () => Promise<string>): KeptToken {
  let kept: { readonly token: string; readonly since: Moment; readonly lifetimeMs: number } | undefined;
  let fetching: Promise<string> | undefined;
  const renew = async (): Promise<string> => {
    const since = thisMoment();
    const token = await fetchToken();
    kept = { token, since, lifetimeMs: lifetimeOf(token, since.wall) - MARGIN_MS };
    return token;
  };
  const read = async () => {
    if (kept !== undefined && !isOver(kept.since, kept.lifetimeMs)) return kept.token;
    fetching ??= renew().finally(() => {
      fetching = undefined;
    });
    return fetching;
  };
  const drop = () => {
    // A token that was fetched just now would be refused again.
    if (kept !== undefined && isOver(kept.since, MARGIN_MS)) kept = undefined;
  };
  return Object.assign(read, { [DROP]: drop });
}

/** Drops the kept token of a function that {@link keptToken} returned, because the token was refused. */
export function dropKept(token: unknown): void {
  if (typeof token === 'function' && DROP in token && typeof token[DROP] === 'function') token[DROP]();
}

/**
 * Returns how many milliseconds after this time a JWT expires, or 0 if it does not say so. This machine's clock may be
 * slow, so this is no longer than from the token's `iat` to its `exp`.
 */
function lifetimeOf(token: string, now: number): number {
  try {
    const [, payload = ''] = token.split('.');
    const { exp, iat } = Object(JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))));
    if (typeof exp !== 'number') return 0;
    return Math.min(exp * 1000 - now, typeof iat === 'number' ? (exp - iat) * 1000 : Number.POSITIVE_INFINITY);
  } catch {
    return 0;
  }
}
