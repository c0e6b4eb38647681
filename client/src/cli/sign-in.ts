import * as oauth from 'oauth4webapi';
import type { SignIn } from '../types.ts';
import { EXIT, Failure } from './failure.ts';
import { listenForRedirect } from './loopback.ts';
import { callProvider, discover, type Provider, publicClient, withoutIdToken } from './provider.ts';
import { type Tokens, tokensOf } from './session.ts';
import { showAddress } from './show-address.ts';

/** The scope for refresh tokens (OpenID Connect Core §11), if the provider supports it. */
const OFFLINE = 'offline_access';

/** Signs in with an authorization code and PKCE (RFC 7636) via a local port (RFC 8252). Throws a {@link Failure}. */
export async function signIn(settings: SignIn, useBrowser: boolean): Promise<Tokens> {
  const provider = await discover(settings.issuer, settings.client_id);
  const { server, client, options } = provider;
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const redirect = await listenForRedirect(state);
  try {
    const challenge = await oauth.calculatePKCECodeChallenge(verifier);
    await showAddress(
      authorizationUrl(provider, settings, { state, challenge, redirectUri: redirect.uri }),
      useBrowser,
    );
    const answer = await redirect.called;
    return await callProvider(new URL(settings.issuer), async () => {
      const parameters = oauth.validateAuthResponse(server, client, answer, state);
      const { uri } = redirect;
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        publicClient,
        parameters,
        uri,
        verifier,
        options,
      );
      const tokens = await withoutIdToken(response);
      return tokensOf(await oauth.processAuthorizationCodeResponse(server, client, tokens), null);
    });
  } finally {
    redirect.close();
  }
}

function authorizationUrl(
  { server }: Provider,
  { client_id, scope, audience }: SignIn,
  { state, challenge, redirectUri }: { state: string; challenge: string; redirectUri: string },
): URL {
  if (server.authorization_endpoint === undefined) {
    throw new Failure(EXIT.local, 'sign_in_failed', 'the identity provider has no authorization_endpoint');
  }
  const scopes = new Set(scope.split(' '));
  if (server.scopes_supported?.includes(OFFLINE)) scopes.add(OFFLINE);
  const url = new URL(server.authorization_endpoint);
  const parameters = {
    response_type: 'code',
    client_id,
    redirect_uri: redirectUri,
    scope: [...scopes].join(' '),
    // Some providers need this parameter to set the audience of the access token.
    audience,
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}
