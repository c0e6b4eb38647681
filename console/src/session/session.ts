import {
  EncryptionService,
  EncryptionServiceError,
  type ErrorCode,
  type Me,
  type SignIn,
} from '../../../client/src/index.ts';
import { navigate, readAddress } from '../address/address.ts';
import { PATHS } from '../address/paths.ts';
import { readConfig } from './config.ts';
import { forgetDraftsUnlessOf, keepDrafts } from './drafts.ts';
import {
  keepAskWho,
  keepSignedIn,
  mustShowSignIn,
  onSignedOutElsewhere,
  onTenantChangedElsewhere,
  tellTenantChanged,
  wasSignedIn,
} from './kept.ts';
import { completeSignIn, NotSignedIn, type Prompt, redirectToProvider, SignInFailed, takePending } from './provider.ts';
import { shownOnce } from './shown-once.ts';

/** Why the sign-in page is shown. */
export type SignInReason = 'first' | 'ended' | 'signed-out';

export type Session =
  | { readonly state: 'starting' }
  | { readonly state: 'leaving' }
  | { readonly state: 'signed-out'; readonly why: SignInReason }
  | { readonly state: 'failed'; readonly problem: unknown }
  | SignedIn;

interface SignedIn {
  readonly state: 'signed-in';
  readonly me: Me;
  readonly service: EncryptionService;
  readonly apiUrl: string;
  readonly accessToken: string;
  /** The tenant from which the person was removed while the console was open, if any. */
  readonly removedFrom?: Me['tenant'] | undefined;
}

/** A token younger than this cannot have expired. If the service rejects it, a new token would not help. */
const YOUNG_MS = 20_000;

const listeners = new Set<(session: Session, before: Session) => void>();
let session: Session = { state: 'starting' };
let settings: SignIn | undefined;
let signedInAt = 0;

export const currentSession = (): Session => session;

/** Calls `listener` on every change of the session. Returns a function that unsubscribes. */
export function onSession(listener: (session: Session, before: Session) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function change(to: Session): void {
  const before = session;
  session = to;
  for (const listener of listeners) listener(to, before);
}

const here = (): string => {
  const { pathname, search, hash } = location;
  return pathname === PATHS.callback ? '/' : `${pathname}${search}${hash}`;
};

/** Starts the session: completes a sign-in, restores the previous session, or shows the sign-in page. */
export async function start(): Promise<void> {
  change({ state: 'starting' });
  onSignedOutElsewhere(() => change({ state: 'signed-out', why: 'signed-out' }));
  onTenantChangedElsewhere(() => void askMe());
  addEventListener('pagehide', keepUnsaved);
  try {
    const { apiUrl } = await readConfig();
    settings = await new EncryptionService({ url: apiUrl, maxRetries: 2 }).signIn();
    if (readAddress().path === PATHS.callback) await arrive(apiUrl, settings);
    else if (wasSignedIn()) await leave('none');
    else change({ state: 'signed-out', why: 'first' });
  } catch (problem) {
    change({ state: 'failed', problem });
  }
}

async function arrive(apiUrl: string, known: SignIn): Promise<void> {
  try {
    const answer = new URL(location.href);
    const pending = takePending(answer);
    navigate(pending.returnTo, { replace: true });
    const accessToken = await completeSignIn(known, answer, pending);
    const service = new EncryptionService({
      url: apiUrl,
      accessToken: () => accessToken,
      maxRetries: 2,
      timeoutMs: 20_000,
    });
    const me = await service.me();
    forgetDraftsUnlessOf(me.user.id);
    signedInAt = Date.now();
    keepSignedIn(true);
    keepAskWho(false);
    change({ state: 'signed-in', me, service, apiUrl, accessToken });
  } catch (error) {
    if (!(error instanceof NotSignedIn)) {
      if (location.pathname === PATHS.callback) navigate('/', { replace: true });
      if (error instanceof SignInFailed) keepSignedIn(false);
      throw error;
    }
    keepSignedIn(false);
    change({ state: 'signed-out', why: 'ended' });
  }
}

function keepUnsaved(): void {
  keepDrafts(session.state === 'signed-in' ? session.me.user.id : undefined);
}

async function leave(prompt: Prompt): Promise<void> {
  if (settings === undefined) return;
  keepUnsaved();
  change({ state: 'leaving' });
  await redirectToProvider(settings, prompt, here());
}

/** Sends the person to the identity provider, which then returns to the current address. */
export async function signIn(): Promise<void> {
  try {
    if (settings === undefined) await start();
    await leave(mustShowSignIn() ? 'login' : 'if-needed');
  } catch (problem) {
    change({ state: 'failed', problem });
  }
}

/** Signs the person out in this tab and in all others. */
export function signOut(): void {
  keepSignedIn(false);
  keepAskWho(true);
  navigate('/');
  change({ state: 'signed-out', why: 'signed-out' });
}

/** Returns whether an error means that the access token is no longer valid. */
export const isSessionEnd = (error: unknown): boolean =>
  error instanceof EncryptionServiceError && error.code === 'unauthorized';

/**
 * Gets a new access token by redirecting to the identity provider and back. The drafts of forms survive the redirect.
 * Does nothing if the rejected token is so new that it cannot have expired. Does nothing while a new secret
 * is on the screen, because the redirect would lose it.
 */
function renew(): void {
  if (session.state !== 'signed-in' || Date.now() - signedInAt < YOUNG_MS || shownOnce() !== undefined) return;
  leave('none').catch((problem: unknown) => change({ state: 'failed', problem }));
}

/** Updates the displayed person, role and tenant. Does nothing if nobody is signed in. */
export function showMe(me: Me): void {
  if (session.state !== 'signed-in') return;
  if (me.tenant.id !== session.me.tenant.id) tellTenantChanged();
  change({ ...session, me, removedFrom: undefined });
}

/**
 * Handles errors that concern the signed-in person. If the access token has expired, gets a new one. If the role or the
 * tenant has changed, loads it again.
 */
export function noteRefusal(problem: unknown): void {
  if (isSessionEnd(problem)) renew();
  else if (problem instanceof EncryptionServiceError && CHANGED_PERSON.includes(problem.code)) void askMe();
}

const CHANGED_PERSON: readonly ErrorCode[] = ['role_not_allowed', 'no_tenant'];
let isAsking = false;

async function askMe(): Promise<void> {
  if (session.state !== 'signed-in' || isAsking) return;
  isAsking = true;
  const { me: before } = session;
  try {
    const me = await session.service.me();
    const isRemoved = me.tenant.id !== before.tenant.id;
    if (isRemoved) tellTenantChanged();
    if (session.state === 'signed-in') change({ ...session, me, ...(isRemoved && { removedFrom: before.tenant }) });
  } catch {
    // Ignore the error: the next request that is refused for this reason tries again.
  }
  isAsking = false;
}

/** Returns a client that calls the service as the signed-in person. Throws if nobody is signed in. */
export function service(): EncryptionService {
  if (session.state !== 'signed-in') throw new Error('nobody is signed in');
  return session.service;
}
