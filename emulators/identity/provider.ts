import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import Provider, { type Adapter, type AdapterFactory, type AdapterPayload, interactionPolicy } from 'oidc-provider';
import { accessTokenSeconds, consoleClientId, type SigningKey, signingAlgorithm } from './tokens.ts';

const daySeconds = 86_400;
/** The time in seconds after which an unused refresh token expires. */
const refreshSeconds = 14 * daySeconds;
// The resource indicator of the service. It must be a URI (RFC 8707 section 2), but the audience of a token can be any
// string.
const resource = 'urn:encryption-service';
const scope = 'openid email profile';

/** The redirect addresses of programs on the person's machine. Any port is accepted (RFC 8252 §7.3). */
const loopbackRedirects = ['http://127.0.0.1/callback', 'http://[::1]/callback'];

/**
 * Makes the provider. It has one public client, which the console and the local programs share. Only programs get
 * refresh tokens.
 */
export function makeProvider(options: {
  issuer: string;
  audience: string;
  consoleOrigin: string;
  key: SigningKey;
  accounts: Accounts;
  /** The clock for access tokens, in milliseconds since the epoch. */
  now: () => number;
}): Provider {
  const consoleRedirect = `${options.consoleOrigin}/callback`;
  const isProgram = (source: object) => 'redirectUri' in source && source.redirectUri !== consoleRedirect;
  return new Provider(options.issuer, {
    adapter: makeMemoryAdapter(),
    jwks: { keys: [options.key] },
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    clients: [
      {
        client_id: consoleClientId,
        token_endpoint_auth_method: 'none',
        application_type: 'native',
        redirect_uris: [consoleRedirect, ...loopbackRedirects],
        grant_types: ['authorization_code', 'refresh_token'],
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
    interactions: { url: (_ctx, interaction) => `${loginPath}${interaction.uid}`, policy: withoutConsent() },
    issueRefreshToken: (_ctx, _client, source) => isProgram(source),
    expiresWithSession: (_ctx, source) => !isProgram(source),
    // The client belongs to the operator of the service, so people need not give separate consent.
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
      revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
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
      Grant: refreshSeconds,
      IdToken: accessTokenSeconds,
      Interaction: 3600,
      RefreshToken: refreshSeconds,
      Session: daySeconds,
    },
  });
}

/** Returns the default policy without its consent prompt. By default, native clients always show this prompt. */
function withoutConsent() {
  const policy = interactionPolicy.base();
  policy.get('consent')?.checks.remove('native_client_prompt');
  return policy;
}

/** Stores the provider's sessions, codes and grants in memory. */
function makeMemoryAdapter(): AdapterFactory {
  const records = new Map<string, AdapterPayload>();

  const findBy = (model: string, property: 'uid' | 'userCode', value: string): AdapterPayload | undefined => {
    for (const [id, payload] of records) if (id.startsWith(`${model}:`) && payload[property] === value) return payload;
    return undefined;
  };

  return (model: string): Adapter => ({
    upsert: async (id, payload) => {
      records.set(`${model}:${id}`, payload);
    },
    find: async (id) => records.get(`${model}:${id}`),
    findByUid: async (uid) => findBy(model, 'uid', uid),
    findByUserCode: async (userCode) => findBy(model, 'userCode', userCode),
    consume: async (id) => {
      const payload = records.get(`${model}:${id}`);
      if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1000);
    },
    destroy: async (id) => {
      records.delete(`${model}:${id}`);
    },
    revokeByGrantId: async (grantId) => {
      // Delete only the records of this model. The grant itself stays: while a sign-in replaces a session, it still
      // needs the grant of the old session.
      for (const [id, payload] of records) {
        if (id.startsWith(`${model}:`) && payload.grantId === grantId) records.delete(id);
      }
    },
  });
}

export const loginPath = '/interaction/';

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Sign in (local)</title>
<style>body { font: 16px system-ui; max-width: 20rem; margin: 4rem auto } input, button { font: inherit; width: 100%; margin: .25rem 0 1rem; box-sizing: border-box }</style>
<h1>Sign in</h1>
<p>This is the local stack. You can sign in with any subject.</p>
<form method="post">
<label>Subject <input name="subject" value="demo" required></label>
<label>Email (optional) <input name="email" type="email"></label>
<label>Name (optional) <input name="name"></label>
<button>Sign in</button>
</form>
`;

/** Shows the login form (GET) or signs the person in (POST). */
export async function handleLogin(
  provider: Provider,
  accounts: Accounts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'POST') {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
    return;
  }
  const form = new URLSearchParams(await text(request));
  const subject = form.get('subject');
  if (!subject) {
    response.writeHead(400, { 'content-type': 'text/plain' }).end('enter a subject');
    return;
  }
  const email = form.get('email');
  const name = form.get('name');
  accounts.signIn(subject, { ...(email && { email }), ...(name && { name }) });
  await provider.interactionFinished(request, response, { login: { accountId: subject } });
}

type Profile = { readonly email?: string; readonly name?: string };

/** The people who have signed in. Everybody can sign in, with any subject. */
type Accounts = {
  readonly signIn: (subject: string, profile: Profile) => void;
  readonly profile: (subject: string) => Profile;
};

export function makeAccounts(): Accounts {
  const profiles = new Map<string, Profile>();
  return {
    signIn: (subject, profile) => {
      profiles.set(subject, profile);
    },
    profile: (subject) => profiles.get(subject) ?? {},
  };
}
