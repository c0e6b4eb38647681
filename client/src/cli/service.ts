import { EncryptionService } from '../service.ts';
import type { EncryptionServiceOptions, Fetch, FetchRequest } from '../types.ts';
import { accessTokenIn } from './access-token.ts';
import { type Environment, readEnvironment } from './environment.ts';
import { explain } from './explain.ts';
import { EXIT, Failure, noCredential, wrongUsage } from './failure.ts';
import { type Profile, readProfile } from './profile.ts';
import { reportWrongClock } from './provider.ts';
import { Session } from './session.ts';
import { credentialFile, workloadCredential } from './workload.ts';

/** Four retries take about two seconds if the service is unreachable. */
const MAX_RETRIES = 4;

/** A connection to the service that the environment or the profile names. */
export interface Connected {
  readonly url: string;
  readonly service: EncryptionService;
  readonly requestIds: RequestIds;
}

export async function withService<T>(task: (connected: Connected) => Promise<T>): Promise<T> {
  return use(await connect(), task);
}

/** Runs a task. Converts its errors to a {@link Failure} with the last request's id. */
export async function use<T>(connected: Connected, task: (connected: Connected) => Promise<T>): Promise<T> {
  try {
    return await task(connected);
  } catch (error) {
    const failure = explain(error);
    if (failure.requestId !== undefined || failure.exitCode === EXIT.unreachable) throw failure;
    throw new Failure(failure.exitCode, failure.code, failure.message, connected.requestIds.last);
  }
}

export interface Target {
  readonly url: string;
  readonly apiKey?: string | (() => Promise<string>);
  /** What the credential is, for messages. */
  readonly source: string;
  readonly session?: Session;
  readonly accessToken?: () => Promise<string>;
}

interface Calling {
  readonly maxRetries?: number;
  /** Sees every response. */
  readonly watch?: (response: Response) => void;
}

export function makeService(
  target: Omit<Target, 'source'>,
  { maxRetries = MAX_RETRIES, watch = () => undefined }: Calling = {},
): Connected {
  const { url } = target;
  const requestIds = new RequestIds();
  try {
    return {
      url,
      requestIds,
      service: new EncryptionService({ ...optionsFor(target, requestIds, watch), maxRetries }),
    };
  } catch (error) {
    throw wrongUsage(`${withoutUser(url)}: ${error instanceof Error ? error.message : 'not a valid URL'}`);
  }
}

/** Returns the library's options, with a `fetch` that records request ids. */
export function optionsFor(
  { url, apiKey, session, accessToken }: Omit<Target, 'source'>,
  requestIds: RequestIds,
  watch: (response: Response) => void = () => undefined,
): EncryptionServiceOptions {
  const send: Fetch = async (input, init) => {
    const response = await renewing(session, input, init);
    requestIds.note(response);
    watch(response);
    return response;
  };
  const settings = { url, fetch: send };
  if (apiKey !== undefined) return { ...settings, apiKey };
  if (accessToken !== undefined) return { ...settings, accessToken };
  if (session !== undefined) return { ...settings, accessToken: () => session.accessToken() };
  return settings;
}

/** Returns a URL without its user and password. Also works for a malformed URL. */
function withoutUser(url: string): string {
  const start = url.indexOf('//') + 2;
  const at = url.lastIndexOf('@');
  return at < start ? url : `${url.slice(0, start)}${url.slice(at + 1)}`;
}

/** Connects with the credential from the environment, or else from the profile. Throws a {@link Failure}. */
export async function connect(): Promise<Connected> {
  const target = await findTarget();
  // A renewal may take longer than the deadline of a call.
  await target.session?.accessToken();
  return makeService(target);
}

/** Returns URL and credential from the environment, or else from the profile. Throws a {@link Failure}. */
export async function findTarget(): Promise<Target> {
  const environment = readEnvironment();
  const credential = credentialIn(environment);
  if (credential !== undefined) {
    const url = environment.url ?? (await readProfile(environment.folder))?.url;
    if (url === undefined) throw wrongUsage('ESK_URL is not set; set it to the URL of the service');
    return { url, ...credential };
  }
  const profile = await readProfile(environment.folder);
  if (profile === undefined) throw noCredential('no credential found; run esk login, or set ESK_URL and ESK_API_KEY');
  const { url } = profile;
  return { url, session: sessionFor(environment, profile), source: `the sign-in at ${url}` };
}

/** Returns the environment's credential for calls with an API key. Throws a {@link Failure} if it is malformed. */
function credentialIn(environment: Environment): Pick<Target, 'apiKey' | 'source'> | undefined {
  const { apiKey, apiKeyFile, workload, apiKeyId } = environment;
  if (apiKey !== undefined) {
    if (!/^[\x21-\x7e]+$/.test(apiKey)) throw noCredential('ESK_API_KEY is not a valid token');
    return { apiKey, source: 'the API key in ESK_API_KEY' };
  }
  if (apiKeyFile !== undefined) return credentialFile(apiKeyFile);
  return workload === undefined ? undefined : workloadCredential(workload, apiKeyId);
}

/**
 * Returns URL and access token of a person, or of a machine that is a member: from the environment, or else from the
 * profile. Throws a {@link Failure}.
 */
export async function findPersonTarget(): Promise<Target> {
  const environment = readEnvironment();
  const accessToken = accessTokenIn();
  if (accessToken !== undefined) {
    const url = environment.url ?? (await readProfile(environment.folder))?.url;
    if (url === undefined) throw wrongUsage('ESK_URL is not set; set it to the URL of the service');
    return { url, accessToken, source: 'the access token in ESK_ACCESS_TOKEN_FILE' };
  }
  const profile = await readProfile(environment.folder);
  if (profile === undefined)
    throw noCredential('no access token found; run esk login, or set ESK_URL and ESK_ACCESS_TOKEN_FILE');
  const { url } = profile;
  return { url, session: sessionFor(environment, profile), source: `the sign-in at ${url}` };
}

/**
 * Returns the profile's session. Throws a {@link Failure} if the environment names another service, which must not
 * receive the profile's token.
 */
function sessionFor({ url, folder }: Environment, profile: Profile): Session {
  if (url === undefined || isSameService(url, profile.url)) return new Session(folder, profile);
  throw noCredential(
    `no credential found for ${withoutUser(url)}; run esk login, or set ESK_API_KEY (you are signed in at ${profile.url})`,
  );
}

function isSameService(one: string, other: string): boolean {
  const plain = (url: string) => (URL.canParse(url) ? new URL(url).href : url).replace(/\/$/, '');
  return plain(one) === plain(other);
}

/** Sends a request. If the service refuses the access token, renews the token and sends the request once more. */
async function renewing(session: Session | undefined, input: string, init: FetchRequest): Promise<Response> {
  const response = await fetch(input, init);
  if (response.status !== 401 || session === undefined || !session.isRenewable) return response;
  const refused = init.headers.authorization?.replace(/^Bearer /, '') ?? '';
  const renewed = await session.renewed(refused).catch((error) => {
    const failure = explain(error);
    // If the sign-in has ended, return the service's 401. For any other reason, throw the failure.
    if (failure.exitCode === EXIT.credential) return undefined;
    throw failure;
  });
  if (renewed === undefined) return response;
  await response.body?.cancel();
  const second = await fetch(input, { ...init, headers: { ...init.headers, authorization: `Bearer ${renewed}` } });
  if (second.status === 401) reportWrongClock(second, 'service');
  return second;
}

/** Keeps the id of the last response, which error messages contain. */
export class RequestIds {
  #last: string | undefined;

  get last(): string | undefined {
    return this.#last;
  }

  note(response: Response): void {
    this.#last = response.headers.get('x-request-id') ?? this.#last;
  }
}
