import type { Command } from 'commander';
import { EncryptionServiceError } from '../../errors.ts';
import type { EncryptionService } from '../../service.ts';
import type { SignIn } from '../../types.ts';
import { readEnvironment } from '../environment.ts';
import { examples } from '../examples.ts';
import { EXIT, Failure, wrongUsage } from '../failure.ts';
import { readProfile, writeProfile } from '../profile.ts';
import { makeService, use } from '../service.ts';
import { Session } from '../session.ts';
import { signIn } from '../sign-in.ts';
import { tell } from '../terminal.ts';

interface Options {
  /** `false` with `--no-browser`. */
  readonly browser: boolean;
}

/** `esk login`. */
export function addLogin(program: Command): void {
  program
    .command('login')
    .description('sign in with a browser, for what API keys may not do')
    .argument('[url]', "the service's address, in place of ESK_URL or of the one signed in to last")
    .option('--no-browser', 'print the address to open, and open nothing')
    .addHelpText(
      'after',
      `${examples(
        ['sign in', 'esk login https://api.example.com'],
        ['on this machine, with a browser that has no way to be opened from here', 'esk login --no-browser'],
      )}
The tokens are kept in $XDG_CONFIG_HOME/esk, readable to you alone. ESK_URL and ESK_API_KEY win over them.
`,
    )
    .action(login);
}

async function login(address: string | undefined, { browser }: Options): Promise<void> {
  const { folder, url: fromEnvironment } = readEnvironment();
  const url = address ?? fromEnvironment ?? (await lastUrl(folder));
  if (url === undefined) throw wrongUsage('where is the service? esk login URL, or set ESK_URL');
  const { issuer, client_id, ...settings } = await use(makeService(url), ({ service }) => askHow(service));
  const tokens = await signIn({ issuer, client_id, ...settings }, browser);
  const profile = { url, issuer, client_id, ...tokens };
  await use(makeService(url, { session: new Session(folder, profile) }), async ({ service }) => {
    // The first call of a person makes their tenant.
    const { user } = await service.me();
    await writeProfile(folder, profile);
    tell(`Signed in at ${url} as ${user.email ?? user.name ?? user.id}.`);
  });
}

/** How the service has people sign in. */
async function askHow(service: EncryptionService): Promise<SignIn> {
  try {
    return await service.signIn();
  } catch (error) {
    if (!(error instanceof EncryptionServiceError && error.code === 'not_found')) throw error;
    throw new Failure(
      EXIT.refused,
      error.code,
      'nobody can sign in there: it has no identity provider',
      error.requestId,
    );
  }
}

/** A profile that cannot be read keeps nobody from signing in anew. */
async function lastUrl(folder: string): Promise<string | undefined> {
  return (await readProfile(folder).catch(() => undefined))?.url;
}
