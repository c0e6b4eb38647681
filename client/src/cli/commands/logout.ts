import * as oauth from 'oauth4webapi';
import type { Command } from '../command.ts';
import { readEnvironment } from '../environment.ts';
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
  // The profile is always removed, even if it is unreadable.
  const profile = await withProfileLock(folder, async () => {
    const forgotten = await readProfile(folder).catch(() => undefined);
    await removeProfile(folder);
    return forgotten;
  });
  if (profile === undefined) return tell('You are not signed in.');
  await revoke(profile);
  tell(`Signed out of ${profile.url}.`);
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
