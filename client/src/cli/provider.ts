import * as oauth from 'oauth4webapi';
import { EXIT, Failure, noCredential } from './failure.ts';
import { isRow } from './row.ts';
import { tell } from './terminal.ts';

export interface Provider {
  readonly server: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly options: { readonly [oauth.allowInsecureRequests]: boolean; readonly signal: () => AbortSignal };
}

export const publicClient = oauth.None();

const TIMEOUT_MS = 15_000;
/** Clocks that differ by fewer minutes are normal. */
const CLOCK_MINUTES = 5;
/** Endpoints to which `esk` sends a browser or a token. */
const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'revocation_endpoint', 'end_session_endpoint'] as const;

/** Reads the provider's settings with OpenID Connect Discovery. Throws a {@link Failure}. */
export async function discover(issuer: string, clientId: string): Promise<Provider> {
  const url = new URL(issuer);
  const options = {
    // Without TLS, tokens may only be sent to this machine.
    [oauth.allowInsecureRequests]: isThisMachine(url),
    signal: () => AbortSignal.timeout(TIMEOUT_MS),
  };
  const server = await callProvider(url, async () => {
    const response = await oauth.discoveryRequest(url, options);
    reportWrongClock(response, 'identity provider');
    return oauth.processDiscoveryResponse(url, response);
  });
  for (const endpoint of ENDPOINTS) {
    const address = server[endpoint];
    if (address === undefined || isProtected(address)) continue;
    const message = `the ${endpoint} of the identity provider at ${url.host} must use https; only a provider on this machine may use http`;
    throw new Failure(EXIT.local, 'sign_in_failed', message);
  }
  return { server, client: { client_id: clientId }, options };
}

/** Tells the user if the clock of this machine differs by minutes from that of a server. */
export function reportWrongClock({ headers }: Response, whose: string): void {
  const difference = Date.now() - Date.parse(headers.get('date') ?? '');
  const minutes = Math.round(Math.abs(difference) / 60_000);
  if (!(minutes >= CLOCK_MINUTES)) return;
  const direction = difference > 0 ? 'ahead of' : 'behind';
  tell(`The clock of this machine is ${minutes} minutes ${direction} the clock of the ${whose}. Set it correctly.`);
}

/**
 * Removes the ID token, which `esk` does not use. If the clock of this machine is wrong, an ID token seems to be invalid,
 * and the other tokens must not be lost with it.
 */
export async function withoutIdToken(response: Response): Promise<Response> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  if (!isRow(body)) return response;
  const { id_token: _, ...rest } = body;
  return new Response(JSON.stringify(rest), { status: response.status, headers: response.headers });
}

/** Whether an address may receive browsers and tokens: it must use `https`, or `http` on this machine. */
function isProtected(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  return url.protocol === 'https:' || (url.protocol === 'http:' && isThisMachine(url));
}

/** Sends a request to the provider. Throws a {@link Failure}: `unreachable` if the provider is not available. */
export async function callProvider<T>(provider: URL, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw explainRefusal(provider, error);
  }
}

function explainRefusal({ host }: URL, error: unknown): Failure {
  if (isUnavailable(error)) {
    return new Failure(
      EXIT.unreachable,
      'unreachable',
      `the identity provider at ${host} is not available; try again later`,
    );
  }
  if (error instanceof oauth.ResponseBodyError || error instanceof oauth.AuthorizationResponseError) {
    const { error: code, error_description: description = '' } = error;
    return noCredential(
      `the identity provider at ${host} refused the sign-in: ${[code, description].join(' ').trim()}; run esk login again`,
    );
  }
  const message = error instanceof Error ? error.message : String(error);
  return new Failure(
    EXIT.local,
    'sign_in_failed',
    `unexpected response from the identity provider at ${host}: ${message}`,
  );
}

/** Whether the provider is unreachable or fails temporarily. Such an error does not end the sign-in. */
function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof TypeError || error.name === 'TimeoutError') return true;
  const response = error instanceof oauth.ResponseBodyError ? error.response : error.cause;
  return response instanceof Response && (response.status === 429 || response.status >= 500);
}

function isThisMachine({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
