import * as oauth from 'oauth4webapi';
import { EXIT, Failure, noCredential } from './failure.ts';

/** An identity provider, and the program as its client. */
export interface Provider {
  readonly server: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  /** What every request to it is made with. */
  readonly options: { readonly [oauth.allowInsecureRequests]: boolean; readonly signal: () => AbortSignal };
}

/** The program has no secret to show: it is a public client (RFC 6749 §2.1). */
export const publicClient = oauth.None();

const TIMEOUT_MS = 15_000;

/** Looks the provider up by its issuer (OpenID Connect Discovery). Throws a {@link Failure}. */
export async function discover(issuer: string, clientId: string): Promise<Provider> {
  const url = new URL(issuer);
  const options = {
    // Without encryption tokens may only go to this machine.
    [oauth.allowInsecureRequests]: isThisMachine(url),
    signal: () => AbortSignal.timeout(TIMEOUT_MS),
  };
  const server = await asked(url, async () =>
    oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, options)),
  );
  return { server, client: { client_id: clientId }, options };
}

/** Asks the provider something. Throws a {@link Failure}: what it refuses ends the sign-in, silence is `unreachable`. */
export async function asked<T>(provider: URL, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw explainRefusal(provider, error);
  }
}

function explainRefusal({ host }: URL, error: unknown): Failure {
  if (error instanceof oauth.ResponseBodyError || error instanceof oauth.AuthorizationResponseError) {
    const { error: code, error_description: description = '' } = error;
    return noCredential(
      `the identity provider at ${host} refused: ${[code, description].join(' ').trim()}; run esk login`,
    );
  }
  if (error instanceof TypeError || (error instanceof Error && error.name === 'TimeoutError')) {
    return new Failure(EXIT.unreachable, 'unreachable', `the identity provider at ${host} does not answer`);
  }
  const message = error instanceof Error ? error.message : String(error);
  return new Failure(
    EXIT.local,
    'sign_in_failed',
    `the identity provider at ${host} answered what is no answer: ${message}`,
  );
}

function isThisMachine({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
