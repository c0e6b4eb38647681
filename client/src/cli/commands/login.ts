import { tokenFault } from '../../doctor/access-token.ts';
import { EncryptionServiceError } from '../../errors.ts';
import type { EncryptionService } from '../../service.ts';
import type { SignIn } from '../../types.ts';
import type { Command } from '../command.ts';
import { readEnvironment } from '../environment.ts';
import { EXIT, Failure, wrongUsage } from '../failure.ts';
import { proveWritable, readProfile, writeProfile } from '../profile.ts';
import { withProfileLock } from '../profile-lock.ts';
import { makeService, use } from '../service.ts';
import { Session } from '../session.ts';
import { signIn } from '../sign-in.ts';
import { tell } from '../terminal.ts';

interface Options {
  /** `false` with `--no-browser`. */
  readonly browser: boolean;
}

export function addLogin(program: Command): void {
  program
    .command('login')
    .description('Sign in with a browser')
    .argument('[url]', 'URL of the service (default: ESK_URL, or where you last signed in)')
    .option('--no-browser', 'Print the sign-in URL instead of opening it')
    .examples(
      ['Sign in', 'esk login https://api.example.com'],
      ['Print the URL and open it yourself, in a browser on this machine', 'esk login --no-browser'],
    )
    .remarks(`Only a signed-in person can create API keys, destroy keys, manage members and verify the audit log.

esk stores the tokens in $XDG_CONFIG_HOME/esk, where only you can read them. ESK_URL and ESK_API_KEY override them.`)
    .action(login);
}

async function login(address: string | undefined, { browser }: Options): Promise<void> {
  const { folder, url: fromEnvironment } = readEnvironment();
  const url = address ?? fromEnvironment ?? (await lastUrl(folder));
  if (url === undefined) throw wrongUsage('no service URL; run esk login URL, or set ESK_URL');
  const { issuer, client_id, ...settings } = await use(makeService({ url }), ({ service }) => askHow(service));
  await withProfileLock(folder, () => proveWritable(folder));
  const tokens = await signIn({ issuer, client_id, ...settings }, browser);
  const profile = { url, issuer, client_id, ...tokens };
  // The session must not renew its token, because the stored profile still belongs to an earlier sign-in.
  const session = new Session(folder, { ...profile, refresh_token: null });
  await use(makeService({ url, session }), async ({ service }) => {
    // A person's first call creates their tenant.
    const { user } = await service.me().catch((error) => {
      throw explainRefusal(error, tokens.access_token, { issuer, client_id, ...settings });
    });
    await withProfileLock(folder, () => writeProfile(folder, { ...profile, user_id: user.id }));
    tell(`Signed in at ${url} as ${user.email ?? user.name ?? user.id}.`);
  });
}

/** If the service has refused the new access token, returns an error that says why, if the token shows it. */
function explainRefusal(error: unknown, token: string, settings: SignIn): unknown {
  if (!(error instanceof EncryptionServiceError && error.code === 'unauthorized')) return error;
  const fault = tokenFault(token, settings, Date.now());
  const { found, advice } = fault ?? { found: 'The token does not show why.', advice: 'Ask the operator for the log.' };
  return new Failure(
    EXIT.credential,
    error.code,
    `the service refuses the access token of the identity provider. ${found} ${advice}`,
    error.requestId,
  );
}

async function askHow(service: EncryptionService): Promise<SignIn> {
  try {
    return await service.signIn();
  } catch (error) {
    if (!(error instanceof EncryptionServiceError && error.code === 'not_found')) throw error;
    throw new Failure(
      EXIT.refused,
      error.code,
      'sign-in is not available: the service has no identity provider',
      error.requestId,
    );
  }
}

/** Returns the URL in the stored profile. Ignores an unreadable profile, because it must not prevent a new sign-in. */
async function lastUrl(folder: string): Promise<string | undefined> {
  return (await readProfile(folder).catch(() => undefined))?.url;
}
