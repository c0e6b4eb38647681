import { EncryptionService } from '../service.ts';
import type { EncryptionServiceOptions } from '../types.ts';
import { type Environment, readEnvironment } from './environment.ts';
import { explain } from './explain.ts';
import { EXIT, Failure, noCredential, wrongUsage } from './failure.ts';
import { type Profile, readProfile } from './profile.ts';
import { RequestIds } from './request-ids.ts';
import { Session } from './session.ts';

/** How often a call is tried again: where nothing listens, a person waits for two seconds or so. */
const MAX_RETRIES = 4;

/** The service as the environment or the profile has it. */
export interface Connected {
  readonly url: string;
  readonly service: EncryptionService;
  readonly requestIds: RequestIds;
}

/** Runs a task with the service of the environment or the profile, as {@link use} does. */
export async function withService<T>(task: (connected: Connected) => Promise<T>): Promise<T> {
  return use(await connect(), task);
}

/** Runs a task with a service. What fails in it is thrown as a {@link Failure} with the id of the request that was last. */
export async function use<T>(connected: Connected, task: (connected: Connected) => Promise<T>): Promise<T> {
  try {
    return await task(connected);
  } catch (error) {
    const failure = explain(error);
    if (failure.requestId !== undefined || failure.exitCode === EXIT.unreachable) throw failure;
    throw new Failure(failure.exitCode, failure.code, failure.message, connected.requestIds.last);
  }
}

/** Where the service is, and the credential, if there is one. */
export interface Target {
  readonly url: string;
  readonly apiKey?: string;
  readonly session?: Session;
}

/** Makes the service object for an address. Throws a {@link Failure} where that is none. */
export function makeService(target: Target): Connected {
  const { url } = target;
  const requestIds = new RequestIds();
  try {
    return {
      url,
      requestIds,
      service: new EncryptionService({ ...optionsFor(target, requestIds), maxRetries: MAX_RETRIES }),
    };
  } catch (error) {
    throw wrongUsage(`${withoutUser(url)}: ${error instanceof Error ? error.message : 'not a valid URL'}`);
  }
}

/** What the library is told of a target. The ids of its requests are noted. */
export function optionsFor({ url, apiKey, session }: Target, requestIds: RequestIds): EncryptionServiceOptions {
  const send: typeof fetch = async (input, init) => {
    const response = await renewing(session, input, init);
    requestIds.note(response);
    return response;
  };
  const settings = { url, fetch: send };
  if (apiKey !== undefined) return { ...settings, apiKey };
  if (session !== undefined) return { ...settings, accessToken: () => session.accessToken() };
  return settings;
}

/** An address, or what was meant to be one, without the user and password that it may have. */
function withoutUser(url: string): string {
  const start = url.indexOf('//') + 2;
  const at = url.lastIndexOf('@');
  return at < start ? url : `${url.slice(0, start)}${url.slice(at + 1)}`;
}

/** The service with the credential of the environment, or else of the profile. Throws a {@link Failure}. */
export async function connect(): Promise<Connected> {
  return makeService(await findTarget());
}

/** The service of the environment, or else of the profile, with the credential. Throws a {@link Failure}. */
export async function findTarget(): Promise<Target> {
  const environment = readEnvironment();
  const { apiKey, folder } = environment;
  if (apiKey !== undefined) {
    const url = environment.url ?? (await readProfile(folder))?.url;
    if (url === undefined) throw wrongUsage('ESK_URL is not set; set it to the URL of the service');
    if (!/^[\x21-\x7e]+$/.test(apiKey)) throw noCredential('ESK_API_KEY is not a valid token');
    return { url, apiKey };
  }
  const profile = await readProfile(folder);
  if (profile === undefined) throw noCredential('no credential found; run esk login, or set ESK_URL and ESK_API_KEY');
  return { url: profile.url, session: sessionFor(environment, profile) };
}

/** The profile's session, unless the environment names another service, which must not see its token. */
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

/** Sends a request, and once more with a new access token where the first one is refused before its time. */
async function renewing(
  session: Session | undefined,
  input: Parameters<typeof fetch>[0],
  init: RequestInit = {},
): Promise<Response> {
  const response = await fetch(input, init);
  if (response.status !== 401 || session === undefined || !session.isRenewable) return response;
  const headers = new Headers(init.headers);
  const refused = headers.get('authorization')?.replace(/^Bearer /, '') ?? '';
  const renewed = await session.renewed(refused).catch((error) => {
    const failure = explain(error);
    // Where the sign-in has ended, the service's refusal says so; that the provider is away is another matter.
    if (failure.exitCode === EXIT.credential) return undefined;
    throw failure;
  });
  if (renewed === undefined) return response;
  headers.set('authorization', `Bearer ${renewed}`);
  await response.body?.cancel();
  return fetch(input, { ...init, headers });
}
