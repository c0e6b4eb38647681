import { parseArgs } from 'node:util';
import { DEFAULT_PORT, portsFrom } from './ports.ts';
import type { StackOptions } from './stack.ts';

/** What `--help` prints. */
export const USAGE = `Usage: npm start -- [flags]

  --port N           the service's port (${DEFAULT_PORT}); every other port shifts with it
  --deployed         a process for each function, behind a gateway
  --fresh            forget .local/ first
  --ephemeral        keep nothing
  --no-billing       without Stripe
  --no-console       without an identity provider, and so without billing
  --no-transit       without the routes for programs that speak to Vault's Transit engine
  --no-wrapped-root  free and wrapped keys are CryptoKeys of their own
  --short-deadlines  give up on Firestore and the KMS after two seconds, not ten
  --help             this
`;

/** Refuses a flag. The message is for the person who gave it. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Parses the command line. Returns `undefined` for `--help`. Throws {@link UsageError}. */
export function parseFlags(args: string[], dir: string): StackOptions | undefined {
  const { values } = parse(args);
  if (values.help) return undefined;
  const port = values.port === undefined ? DEFAULT_PORT : Number(values.port || Number.NaN);
  try {
    portsFrom(port);
  } catch (error) {
    throw new UsageError(`--port ${values.port}: ${error instanceof Error ? error.message : error}`);
  }
  if (values.fresh && values.ephemeral) throw new UsageError('--fresh and --ephemeral do not go together');
  const console = !values['no-console'];
  return {
    port,
    deployed: values.deployed ?? false,
    dir: values.ephemeral ? undefined : dir,
    fresh: values.fresh ?? false,
    console,
    billing: console && !values['no-billing'],
    wrappedRoot: !values['no-wrapped-root'],
    transit: !values['no-transit'],
    shortDeadlines: values['short-deadlines'] ?? false,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        port: { type: 'string' },
        deployed: { type: 'boolean' },
        fresh: { type: 'boolean' },
        ephemeral: { type: 'boolean' },
        'no-billing': { type: 'boolean' },
        'no-console': { type: 'boolean' },
        'no-transit': { type: 'boolean' },
        'no-wrapped-root': { type: 'boolean' },
        'short-deadlines': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    // The first sentence names the flag; what follows is about positional arguments.
    throw new UsageError(error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error));
  }
}
