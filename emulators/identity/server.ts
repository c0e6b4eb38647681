import { createServer } from 'node:http';
import { close, listen, portOf, urlOf } from '../base/listen.ts';
import { handleLogin, loginPath, makeAccounts, makeProvider } from './provider.ts';
import { openSigningKey, signAccessToken, type TokenRequest } from './tokens.ts';

export type IdentityProvider = {
  readonly issuer: string;
  /** The path of the public keys, as a JWKS. */
  readonly jwksPath: string;
  /** Signs an access token without a login. The token's times follow the stack's clock. */
  readonly mint: (request: TokenRequest) => Promise<string>;
  readonly stop: () => Promise<void>;
};

/**
 * Starts the provider on 127.0.0.1. Port 0 picks a free port. `file` is where the signing key is stored. `now` returns
 * milliseconds since the epoch. Rejects with the code `EADDRINUSE` if the port is taken.
 */
export async function startIdentityProvider(options: {
  port: number;
  file?: string | undefined;
  audience: string;
  consoleOrigin: string;
  now: () => number;
}): Promise<IdentityProvider> {
  const { audience, consoleOrigin, now } = options;
  const key = await openSigningKey(options.file);
  const server = createServer();
  await listen(server, options.port);
  const issuer = `http://127.0.0.1:${portOf(server)}`;

  const accounts = makeAccounts();
  const provider = makeProvider({ issuer, audience, consoleOrigin, key, accounts, now });
  // By default, Koa prints a stack trace for each client that disconnects.
  const printError = provider.onerror.bind(provider);
  provider.onerror = (error) => {
    if (!('code' in error && ['ECONNRESET', 'EPIPE'].includes(String(error.code)))) printError(error);
  };
  const answer = provider.callback();
  server.on('request', (request, response) => {
    // For such a target, the provider would answer 500.
    if (urlOf(request) === null)
      return void response.writeHead(400, { 'content-type': 'text/plain' }).end('bad request');
    if (!request.url?.startsWith(loginPath)) return answer(request, response);
    return handleLogin(provider, accounts, request, response).catch((error: unknown) => {
      // This error means that the login has expired or belongs to another browser.
      response.writeHead(400, { 'content-type': 'text/plain' }).end(String(error));
    });
  });

  return {
    issuer,
    jwksPath: '/jwks',
    mint: (request) => signAccessToken(request, { key, issuer, audience, nowMs: now() }),
    stop: () => close(server),
  };
}
