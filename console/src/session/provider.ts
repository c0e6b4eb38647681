import * as oauth from 'oauth4webapi';
import type { SignIn } from '../../../client/src/index.ts';
import { PATHS } from '../address/paths.ts';
import { keepForReturn, takeKept } from './kept.ts';

/** When the identity provider shows its sign-in page: only if necessary, never (`none`), or always (`login`). */
export type Prompt = 'if-needed' | 'none' | 'login';

/** Thrown if the identity provider has no session, or cannot confirm its session without showing a page. */
export class NotSignedIn extends Error {
  override readonly name = 'NotSignedIn';
}

export class SignInFailed extends Error {
  override readonly name = 'SignInFailed';
}

/** Thrown if the identity provider does not answer. */
export class ProviderUnreached extends Error {
  override readonly name = 'ProviderUnreached';
}

/** Sends a request to the provider. Browsers throw a `TypeError` for every network error. */
async function reach(request: Promise<Response>): Promise<Response> {
  try {
    return await request;
  } catch (error) {
    const isNetwork = error instanceof TypeError || (error instanceof Error && error.name === 'TimeoutError');
    throw isNetwork ? new ProviderUnreached('the identity provider did not answer', { cause: error }) : error;
  }
}

const TIMEOUT_MS = 15_000;
const NEEDS_PAGE = new Set([
  'login_required',
  'interaction_required',
  'consent_required',
  'account_selection_required',
]);

/**
 * A sign-in in progress, stored under the value of `state` in its request. Nobody can use the verifier (RFC 7636)
 * without the code from the provider.
 */
export interface PendingSignIn {
  readonly state: string;
  readonly verifier: string;
  readonly nonce: string;
  /** The address to show after the sign-in, whether it succeeds or not. */
  readonly returnTo: string;
}

const redirectUri = (): string => `${location.origin}${PATHS.callback}`;

/**
 * Returns the options for requests to the provider. Plain HTTP is allowed only if the provider runs on this machine.
 */
function requestOptions(issuer: URL) {
  const { hostname } = issuer;
  const isThisMachine = hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
  return { [oauth.allowInsecureRequests]: isThisMachine, signal: () => AbortSignal.timeout(TIMEOUT_MS) };
}

/** Reads the identity provider's metadata. Throws if the provider does not answer as expected. */
export async function discover({ issuer }: SignIn): Promise<oauth.AuthorizationServer> {
  const url = new URL(issuer);
  return oauth.processDiscoveryResponse(url, await reach(oauth.discoveryRequest(url, requestOptions(url))));
}

/** Redirects the browser to the identity provider (authorization code flow with PKCE). */
export async function redirectToProvider(settings: SignIn, prompt: Prompt, returnTo: string): Promise<void> {
  const server = await discover(settings);
  if (server.authorization_endpoint === undefined)
    throw new SignInFailed('the identity provider has no authorization_endpoint');
  const state = oauth.generateRandomState();
  const pending: PendingSignIn = {
    state,
    verifier: oauth.generateRandomCodeVerifier(),
    nonce: oauth.generateRandomNonce(),
    returnTo,
  };
  keepForReturn(state, JSON.stringify(pending));
  const url = new URL(server.authorization_endpoint);
  const parameters = {
    response_type: 'code',
    client_id: settings.client_id,
    redirect_uri: redirectUri(),
    scope: settings.scope,
    // Some providers issue an access token for the service only if the request has this parameter.
    audience: settings.audience,
    state,
    ...(settings.scope.split(' ').includes('openid') && { nonce: pending.nonce }),
    code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: 'S256',
    ...(prompt !== 'if-needed' && { prompt }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  location.replace(url);
}

/** Returns the pending sign-in that this address answers. Throws {@link SignInFailed} if it is not of this tab. */
export function takePending(answer: URL): PendingSignIn {
  const state = answer.searchParams.get('state') ?? '';
  const kept = state === '' ? undefined : takeKept(state);
  if (kept === undefined)
    throw new SignInFailed('this sign-in was started in another tab or browser, or has already ended');
  return JSON.parse(kept);
}

/**
 * Completes a sign-in after the provider has redirected the browser to `answer`. Returns the access token, which stays in
 * memory. Throws {@link NotSignedIn}, {@link SignInFailed} or an error of `fetch`.
 */
export async function completeSignIn(
  settings: SignIn,
  answer: URL,
  { state, verifier, nonce }: PendingSignIn,
): Promise<string> {
  const server = await discover(settings);
  const client: oauth.Client = { client_id: settings.client_id };
  try {
    const parameters = oauth.validateAuthResponse(server, client, answer, state);
    const response = await reach(
      oauth.authorizationCodeGrantRequest(
        server,
        client,
        oauth.None(),
        parameters,
        redirectUri(),
        verifier,
        requestOptions(new URL(settings.issuer)),
      ),
    );
    const expectsIdToken = settings.scope.split(' ').includes('openid');
    const tokens = await oauth.processAuthorizationCodeResponse(
      server,
      client,
      response,
      expectsIdToken ? { expectedNonce: nonce } : {},
    );
    return tokens.access_token;
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError && NEEDS_PAGE.has(error.error))
      throw new NotSignedIn('the identity provider needs the person to sign in');
    if (error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError) {
      throw new SignInFailed(`${error.error} ${error.error_description ?? ''}`.trim());
    }
    throw error;
  }
}
