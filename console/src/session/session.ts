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
import { keepDrafts } from './drafts.ts';
import { keepAskWho, keepSignedIn, onSignedOutElsewhere, shallAskWho, wasSignedIn } from './kept.ts';
import { newApiKey } from './new-api-key.ts';
import { leaveForProvider, NotSignedIn, type Prompt, SignInFailed, takeAnswer } from './provider.ts';

/** Why the page to sign in at is shown. */
export type SignInReason = 'first' | 'ended' | 'signed-out';

/** Whether somebody is signed in, and who. */
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
  /** The tenant that the person was removed from while the console was open. */
  readonly removedFrom?: Me['tenant'] | undefined;
}

/** A token this young that is refused is not refused for its age: another would fare no better. */
const YOUNG_MS = 20_000;

const listeners = new Set<(session: Session, before: Session) => void>();
let session: Session = { state: 'starting' };
let settings: SignIn | undefined;
let signedInAt = 0;

/** The session as it is. */
export const currentSession = (): Session => session;

/** Calls back whenever the session changes. Returns what ends that. */
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

/** Begins: takes the provider's answer, or asks it who is there, or shows the page to sign in at. */
export async function start(): Promise<void> {
  change({ state: 'starting' });
  onSignedOutElsewhere(() => change({ state: 'signed-out', why: 'signed-out' }));
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
    const { accessToken, returnTo } = await takeAnswer(known, new URL(location.href));
    const service = new EncryptionService({
      url: apiUrl,
      accessToken: () => accessToken,
      maxRetries: 2,
      timeoutMs: 20_000,
    });
    navigate(returnTo, { replace: true });
    const me = await service.me();
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
    navigate(error.returnTo, { replace: true });
    keepSignedIn(false);
    change({ state: 'signed-out', why: 'ended' });
  }
}

async function leave(prompt: Prompt): Promise<void> {
  if (settings === undefined) return;
  change({ state: 'leaving' });
  keepDrafts();
  await leaveForProvider(settings, prompt, here());
}

/** Signs in at the provider's page, and comes back to where the person is now. */
export async function signIn(): Promise<void> {
  try {
    if (settings === undefined) await start();
    await leave(shallAskWho() ? 'login' : 'if-needed');
  } catch (problem) {
    change({ state: 'failed', problem });
  }
}

/** Forgets the token, here and in other tabs. */
export function signOut(): void {
  keepSignedIn(false);
  keepAskWho(true);
  navigate('/');
  change({ state: 'signed-out', why: 'signed-out' });
}

/** Whether an error says that the token is no longer good. */
export const isSessionEnd = (error: unknown): boolean =>
  error instanceof EncryptionServiceError && error.code === 'unauthorized';

/**
 * The token is no longer good: where the provider still knows the person, they are back in a moment, with what they had
 * typed. Does nothing about a token that was refused as soon as it was there, nor while an API key's token is shown,
 * which would be gone with the page.
 */
function renew(): void {
  if (session.state !== 'signed-in' || Date.now() - signedInAt < YOUNG_MS || newApiKey() !== undefined) return;
  leave('none').catch((problem: unknown) => change({ state: 'failed', problem }));
}

/** Shows the tenant and the role that the person has now. Does nothing where nobody is signed in. */
export function showMe(me: Me): void {
  if (session.state === 'signed-in') change({ ...session, me, removedFrom: undefined });
}

/** What a refusal says of the person: that they have to sign in again, or have another role or tenant than is shown. */
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
    if (session.state === 'signed-in') change({ ...session, me, ...(isRemoved && { removedFrom: before.tenant }) });
  } catch {
    // The next refusal asks again.
  }
  isAsking = false;
}

/** The service, called as the signed-in person. Throws where nobody is. */
export function service(): EncryptionService {
  if (session.state !== 'signed-in') throw new Error('nobody is signed in');
  return session.service;
}
