import { Readable } from 'node:stream';
import { Peer } from '../age-plugin/peer.ts';
import type { PluginService } from '../age-plugin/plugin-service.ts';
import { IDENTITY } from '../age-plugin/recipient.ts';
import { STATE_MACHINES } from '../age-plugin/state-machines.ts';
import { ByteReader } from '../files/byte-reader.ts';
import { explain } from './explain.ts';
import { connect } from './service.ts';
import { heedClosedPipe, writeOut } from './standard-output.ts';

const USAGE = `age-plugin-esk lets age encrypt and decrypt with keys of the encryption service.

Examples:
  # Encrypt a file
  age -r "$(esk keys recipient backups)" -o notes.age notes.txt

  # Decrypt a file
  age -d -j esk -o notes.txt notes.age

age-plugin-esk must be in the PATH. age starts it when needed.

Environment:
  ESK_URL          URL of the service
  ESK_API_KEY      API key token

Instead of using -j esk, you can put this line in an identity file. The line is not a secret.

${IDENTITY}
`;

/** Speaks the protocol of C2SP age-plugin.md on standard input and output, as age asks for with `--age-plugin=`. */
async function main(args: readonly string[]): Promise<number> {
  const [name] = args.flatMap((arg) => (arg.startsWith('--age-plugin=') ? arg.slice('--age-plugin='.length) : []));
  if (name === undefined) {
    process.stdout.write(USAGE);
    return args.every((arg) => arg === '--help' || arg === '-h') ? 0 : 2;
  }
  const stateMachine = STATE_MACHINES.get(name);
  if (stateMachine === undefined) {
    process.stderr.write(`age-plugin-esk: state machine ${JSON.stringify(name)} is not supported\n`);
    return 1;
  }
  const input = new ByteReader(Readable.toWeb(process.stdin));
  try {
    await stateMachine(new Peer(input, writeOut), service);
  } finally {
    // An input that stays open would keep the program running.
    await input.cancel(undefined);
  }
  return 0;
}

const service: PluginService = {
  connect: async () => (await connect()).service,
  explain: (error) => {
    const { code, message, requestId } = explain(error);
    return `${code}: ${message}${requestId === undefined ? '' : ` (request ${requestId})`}`;
  },
};

heedClosedPipe();
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`age-plugin-esk: ${service.explain(error)}\n`);
  process.exitCode = 1;
}
