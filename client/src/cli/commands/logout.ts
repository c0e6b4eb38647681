import * as oauth from 'oauth4webapi';
import type { Command } from '../command.ts';
import { readEnvironment } from '../environment.ts';
import { failureOf } from '../explain.ts';
import { Failure } from '../failure.ts';
import { type Profile, readProfile, removeProfile } from '../profile.ts';
import { withProfileLock } from '../profile-lock.ts';
import { callProvider, discover, publicClient } from '../provider.ts';
import { tell } from '../terminal.ts';

export function addLogout(program: Command): void {
  program
    .command('logout')
    .description('Sign out: delete the stored tokens and revoke them at the identity provider')
    .action(logout);
}

async function logout(): Promise<void> {
  const { folder } = readEnvironment();
  // An unreadable profile is removed too.
  const read = () => readProfile(folder).catch(() => undefined);
  let profile: Profile | undefined;
  const notRemoved = await failureOf(() =>
    withProfileLock(folder, async () => {
      profile = await read();
      await removeProfile(folder);
    }),
  );
  // The tokens are revoked even if the profile cannot be locked or removed.
  if (notRemoved !== undefined) profile ??= await read();
  const revoked = profile;
  const notRevoked = revoked && (await failureOf(() => revoke(revoked)));
  if (notRevoked !== undefined) {
    const { exitCode, code, message } = notRevoked;
    const also = notRemoved === undefined ? '' : `; nor was the profile removed: ${notRemoved.message}`;
    throw new Failure(
      exitCode,
      code,
      `your tokens were not revoked, so they stay valid until they expire: ${message}${also}`,
    );
  }
  if (notRemoved !== undefined) throw notRemoved;
  tell(profile === undefined ? 'You are not signed in.' : `Signed out of ${profile.url}.`);
}

/** Revokes the refresh token, if the provider supports it (RFC 7009). */
async function revoke({ issuer, client_id, refresh_token }: Profile): Promise<void> {
  if (refresh_token === null) return;
  const { server, client, options } = await discover(issuer, client_id);
  if (server.revocation_endpoint === undefined) return;
  await callProvider(new URL(issuer), async () =>
    oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, publicClient, refresh_token, options),
    ),
  );
}
