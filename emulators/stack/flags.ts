import { parseArgs } from 'node:util';
import { DEFAULT_PORT, portsFrom } from './ports.ts';
import type { StackOptions } from './stack.ts';

export const USAGE = `Usage: npm start -- [options]

Runs the whole service on this machine. State is kept in .local/ between runs.

  --port N           the service's port (default ${DEFAULT_PORT}); all other ports shift by the same amount
  --deployed         run one process per function behind a gateway, like a deployment
  --fresh            delete .local/ first
  --ephemeral        keep no state
  --demo             give a new demo tenant a month of keys, operations and audit events
  --no-billing       run without Stripe
  --no-console       run without an identity provider, console or billing
  --no-transit       run without the routes for Vault clients
  --no-wrapped-root  give each free or wrapped key its own CryptoKey in the KMS
  --closed           refuse every caller, and run no schedules; the control API still works
  --no-schedules     run the scheduled functions only when the control API asks
  --short-deadlines  give up on Firestore and the KMS after two seconds instead of ten
  --help             show this help
`;

/** Thrown for an invalid flag. The user sees its message. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Parses the command line. Returns `undefined` for `--help`. Throws {@link UsageError} for an invalid flag. */
export function parseFlags(args: string[], dir: string): StackOptions | undefined {
  const { values } = parse(args);
  if (values.help) return undefined;
  const port = values.port === undefined ? DEFAULT_PORT : Number(values.port || Number.NaN);
  try {
    portsFrom(port);
  } catch (error) {
    throw new UsageError(`--port ${values.port}: ${error instanceof Error ? error.message : error}`);
  }
  if (values.fresh && values.ephemeral) throw new UsageError('--fresh and --ephemeral cannot be used together');
  const console = !values['no-console'];
  if (values.demo && values.closed) throw new UsageError('--demo and --closed cannot be used together');
  if (values.demo && !console) throw new UsageError('--demo and --no-console cannot be used together');
  return {
    port,
    deployed: values.deployed ?? false,
    dir: values.ephemeral ? undefined : dir,
    fresh: values.fresh ?? false,
    demoMonth: values.demo ?? false,
    console,
    billing: console && !values['no-billing'],
    wrappedRoot: !values['no-wrapped-root'],
    transit: !values['no-transit'],
    closed: values.closed ?? false,
    schedules: !values['no-schedules'],
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
        demo: { type: 'boolean' },
        ephemeral: { type: 'boolean' },
        closed: { type: 'boolean' },
        'no-billing': { type: 'boolean' },
        'no-console': { type: 'boolean' },
        'no-transit': { type: 'boolean' },
        'no-schedules': { type: 'boolean' },
        'no-wrapped-root': { type: 'boolean' },
        'short-deadlines': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    // Show only the message's first sentence, which names the flag. The other sentences are about positional arguments.
    throw new UsageError(error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error));
  }
}
