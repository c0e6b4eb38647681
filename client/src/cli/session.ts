import * as oauth from 'oauth4webapi';
import { explain } from './explain.ts';
import { EXIT, Failure, noCredential } from './failure.ts';
import { type Profile, proveWritable, readProfile, writeProfile } from './profile.ts';
import { withProfileLock } from './profile-lock.ts';
import { callProvider, discover, publicClient, withoutIdToken } from './provider.ts';
import { tell } from './terminal.ts';

/** Tokens are renewed this long before they expire, so that they do not expire while a request is sent. */
const MARGIN_MS = 30_000;

let renewals: Promise<unknown> = Promise.resolve();

/** Waits for running renewals, so that the program does not exit between the use of a refresh token and its storage. */
export async function renewalsEnded(): Promise<void> {
  await renewals;
}

/** A person's access token, renewed if the provider issues refresh tokens. */
export class Session {
  readonly #folder: string;
  #profile: Profile;

  constructor(folder: string, profile: Profile) {
    this.#folder = folder;
    this.#profile = profile;
  }

  /** Returns the access token, renewed if it has expired. Throws a `Failure` if a new sign-in is needed. */
  async accessToken(): Promise<string> {
    const { expires_at, refresh_token, access_token } = this.#profile;
    if (expires_at === null || Date.now() < expires_at - MARGIN_MS) return access_token;
    if (refresh_token === null) throw noCredential('your session has expired; run esk login');
    return this.renewed(access_token);
  }

  /** Whether a refused access token can be renewed. */
  get isRenewable(): boolean {
    return this.#profile.refresh_token !== null;
  }

  /** Returns an access token that replaces `ended`, which has expired or was refused. Throws a `Failure`. */
  async renewed(ended: string): Promise<string> {
    const renewal = this.#replace(ended);
    renewals = Promise.allSettled([renewals, renewal]);
    await renewal;
    return this.#profile.access_token;
  }

  async #replace(ended: string): Promise<void> {
    await withProfileLock(this.#folder, async () => {
      const now = await readProfile(this.#folder);
      if (now === undefined) throw noCredential('you have signed out; run esk login');
      // The stored profile may be from a newer sign-in. The tokens of another service must not be sent to this one, and
      // another person may belong to another tenant.
      if (!isSameSignIn(now, this.#profile))
        throw noCredential(`a newer sign-in, at ${now.url}, replaced this session; run esk login`);
      // Another program may have renewed the token.
      this.#profile = now.access_token === ended ? await this.#renew(now) : now;
    });
  }

  /** Renews the token and stores it. A refresh token may work only once, so what replaces it must not be lost. */
  async #renew(profile: Profile): Promise<Profile> {
    const request = await prepareRenewal(profile);
    await proveWritable(this.#folder).catch((error) => {
      const { code, message } = explain(error);
      throw new Failure(EXIT.local, code, `${message}; the session was not renewed, because it could not be stored`);
    });
    const renewed = await request();
    await writeProfile(this.#folder, renewed).catch((error) => {
      tell(`The renewed session could not be stored. Run esk login again. ${explain(error).message}`);
    });
    return renewed;
  }
}

function isSameSignIn(one: Profile, other: Profile): boolean {
  return (['url', 'issuer', 'client_id', 'user_id'] as const).every((name) => one[name] === other[name]);
}

export type Tokens = Pick<Profile, 'access_token' | 'expires_at' | 'refresh_token'>;

/** Returns the new tokens. Keeps the old refresh token if the response has no new refresh token. */
export function tokensOf(answer: oauth.TokenEndpointResponse, refreshToken: string | null): Tokens {
  return {
    access_token: answer.access_token,
    expires_at: answer.expires_in === undefined ? null : Date.now() + answer.expires_in * 1000,
    refresh_token: answer.refresh_token ?? refreshToken,
  };
}

/** Returns a function that renews the profile's tokens. Everything else that can fail comes first. */
async function prepareRenewal(profile: Profile): Promise<() => Promise<Profile>> {
  const { issuer, client_id, refresh_token } = profile;
  if (refresh_token === null) throw noCredential('your session has expired; run esk login');
  const { server, client, options } = await discover(issuer, client_id);
  return async () => {
    const answer = await callProvider(new URL(issuer), async () => {
      const response = await oauth.refreshTokenGrantRequest(server, client, publicClient, refresh_token, options);
      return oauth.processRefreshTokenResponse(server, client, await withoutIdToken(response));
    });
    return { ...profile, ...tokensOf(answer, refresh_token) };
  };
}
