import { randomBytes } from 'node:crypto';
import Provider from 'oidc-provider';
import { accessTokenSeconds, consoleClientId } from './access-token.ts';
import type { Accounts } from './accounts.ts';
import { loginPath } from './login-page.ts';
import { makeMemoryAdapter } from './memory-adapter.ts';
import { type SigningKey, signingAlgorithm } from './signing-key.ts';

const daySeconds = 86_400;
// A resource indicator must be a URI (RFC 8707 section 2), which an audience need not be.
const resource = 'urn:encryption-service';
const scope = 'openid email profile';

/** Sets up an OpenID provider with one public client, the console, whose access tokens are JWTs for the service. */
export function makeProvider(options: {
  issuer: string;
  audience: string;
  consoleOrigin: string;
  key: SigningKey;
  accounts: Accounts;
  /** The time that access tokens go by, in milliseconds since the epoch. */
  now: () => number;
}): Provider {
  return new Provider(options.issuer, {
    adapter: makeMemoryAdapter(),
    jwks: { keys: [options.key] },
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    clients: [
      {
        client_id: consoleClientId,
        token_endpoint_auth_method: 'none',
        redirect_uris: [`${options.consoleOrigin}/callback`],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        id_token_signed_response_alg: signingAlgorithm,
      },
    ],
    pkce: { required: () => true },
    scopes: scope.split(' '),
    claims: { openid: ['sub'], email: ['email'], profile: ['name'] },
    clientBasedCORS: (_ctx, origin) => origin === options.consoleOrigin,
    findAccount: (_ctx, subject) => ({
      accountId: subject,
      claims: () => ({ sub: subject, ...options.accounts.profile(subject) }),
    }),
    interactions: { url: (_ctx, interaction) => `${loginPath}${interaction.uid}` },
    // The console is the operator's own: signing in is consent enough.
    loadExistingGrant: async (ctx) => {
      const { client, session, provider } = ctx.oidc;
      if (client === undefined || session?.accountId === undefined) return undefined;
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope(scope);
      grant.addResourceScope(resource, scope);
      await grant.save();
      return grant;
    },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope,
          audience: options.audience,
          accessTokenFormat: 'jwt',
          accessTokenTTL: accessTokenSeconds,
          jwt: { sign: { alg: signingAlgorithm } },
        }),
      },
    },
    formats: {
      customizers: {
        jwt: (_ctx, token, parts) => {
          const profile = 'accountId' in token ? options.accounts.profile(token.accountId) : {};
          const iat = Math.floor(options.now() / 1000);
          Object.assign(parts.payload, profile, { iat, exp: iat + accessTokenSeconds });
        },
      },
    },
    renderError: (ctx, out) => {
      ctx.type = 'text/plain';
      ctx.body = `${out.error}: ${out.error_description ?? ''}`;
    },
    ttl: {
      AccessToken: accessTokenSeconds,
      AuthorizationCode: 60,
      Grant: daySeconds,
      IdToken: accessTokenSeconds,
      Interaction: 3600,
      Session: daySeconds,
    },
  });
}
