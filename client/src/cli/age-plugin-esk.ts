import { Readable } from 'node:stream';
import { Peer } from '../age-plugin/peer.ts';
import type { PluginService } from '../age-plugin/plugin-service.ts';
import { IDENTITY } from '../age-plugin/recipient.ts';
import { STATE_MACHINES } from '../age-plugin/state-machines.ts';
import { ByteReader } from '../files/byte-reader.ts';
import { explain } from './explain.ts';
import { connect } from './service.ts';

const USAGE = `age-plugin-esk lets age encrypt for keys of the encryption service. age starts it by itself where it is in the PATH.

  age -r "$(esk keys recipient backups)" -o notes.age notes.txt
  age -d -j esk -o notes.txt notes.age

It has the credential of ESK_URL and ESK_API_KEY. An identity file for it has this line; it is no secret:

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
    process.stderr.write(`age-plugin-esk: unknown state machine ${JSON.stringify(name)}\n`);
    return 1;
  }
  const input = new ByteReader(Readable.toWeb(process.stdin));
  await stateMachine(new Peer(input, writeOutput), service);
  await input.cancel(undefined);
  return 0;
}

const service: PluginService = {
  connect: async () => (await connect()).service,
  explain: (error) => {
    const { code, message, requestId } = explain(error);
    return `${code}: ${message}${requestId === undefined ? '' : ` (request ${requestId})`}`;
  },
};

function writeOutput(bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`age-plugin-esk: ${service.explain(error)}\n`);
  process.exitCode = 1;
}
