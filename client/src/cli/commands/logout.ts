import * as oauth from 'oauth4webapi';
import type { Command } from '../command.ts';
import { readEnvironment } from '../environment.ts';
import { explain } from '../explain.ts';
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
  // An unreadable profile is removed too. The tokens are revoked even if the profile cannot be removed.
  let notRemoved: unknown;
  const profile = await withProfileLock(folder, async () => {
    const forgotten = await readProfile(folder).catch(() => undefined);
    notRemoved = await removeProfile(folder).catch((error) => error);
    return forgotten;
  });
  if (profile !== undefined) {
    await revoke(profile).catch((error) => {
      const { exitCode, code, message } = explain(error);
      throw new Failure(
        exitCode,
        code,
        `your tokens were not revoked, so they stay valid until they expire: ${message}`,
      );
    });
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
