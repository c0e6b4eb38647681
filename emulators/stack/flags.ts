import { parseArgs } from 'node:util';
import { DEFAULT_PORT, portsFrom } from './ports.ts';
import type { StackOptions } from './stack.ts';

/** The flags of `npm start`, in the order of the help. */
export const FLAGS = {
  port: {
    type: 'string',
    value: 'N',
    help: `use port N for the service (default ${DEFAULT_PORT}); all other ports shift by the same amount`,
  },
  deployed: { type: 'boolean', help: 'run one process per function behind a gateway, as in a deployment' },
  fresh: { type: 'boolean', help: 'delete the state of earlier runs (.local/) first' },
  ephemeral: { type: 'boolean', help: 'keep no state for later runs' },
  demo: {
    type: 'boolean',
    help: 'create the demo tenant with a month of activity; needs --fresh if there is a demo tenant already',
  },
  'no-billing': { type: 'boolean', help: 'run without Stripe' },
  'no-console': { type: 'boolean', help: 'run without an identity provider, console or billing' },
  'no-transit': { type: 'boolean', help: 'run without the routes for Vault clients' },
  'no-wrapped-root': { type: 'boolean', help: 'give each free or wrapped key its own CryptoKey in the KMS' },
  closed: { type: 'boolean', help: 'refuse every caller, and run no schedules; the control API still works' },
  'no-schedules': { type: 'boolean', help: 'run scheduled functions only when the control API starts them' },
  'short-deadlines': { type: 'boolean', help: 'wait two seconds for Firestore and the KMS instead of ten' },
} as const;

export const USAGE = `Usage: npm start -- [options]

Runs the whole service on this machine. State is kept in .local/ between runs.

${Object.entries(FLAGS)
  .map(([name, flag]) => `  ${`--${name}${'value' in flag ? ` ${flag.value}` : ''}`.padEnd(18)} ${flag.help}`)
  .join('\n')}
  ${'--help'.padEnd(18)} show this help
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
    return parseArgs({ args, options: { ...FLAGS, help: { type: 'boolean', short: 'h' } } });
  } catch (error) {
    // Show only the message's first sentence, which names the flag. The other sentences are about positional arguments.
    throw new UsageError(error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error));
  }
}
