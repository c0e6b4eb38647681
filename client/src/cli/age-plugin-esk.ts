import { unwrapWithIdentities } from '../age-plugin/identity-v1.ts';
import { Peer, type PluginService } from '../age-plugin/peer.ts';
import { wrapForRecipients } from '../age-plugin/recipient-v1.ts';
import { ByteReader } from '../files/byte-reader.ts';
import { makePluginProgram } from './age-plugin-program.ts';
import { cleanUpOnSignals } from './atomic-file.ts';
import { explain } from './explain.ts';
import { openInput } from './input.ts';
import { useProxyOf } from './proxy.ts';
import { connect } from './service.ts';
import { renewalsEnded } from './session.ts';
import { surviveBrokenStreams, writeOut } from './standard-output.ts';

export async function main(args: readonly string[]): Promise<void> {
  surviveBrokenStreams();
  cleanUpOnSignals(renewalsEnded);
  try {
    await useProxyOf();
    process.exitCode = await run(args);
  } catch (error) {
    process.stderr.write(`age-plugin-esk: ${service.explain(error)}\n`);
    process.exitCode = 1;
  }
}

/** Runs the state machine named by `--age-plugin=` on standard input and output (C2SP age-plugin.md). */
async function run(args: readonly string[]): Promise<number> {
  const [name] = args.flatMap((arg) => (arg.startsWith('--age-plugin=') ? arg.slice('--age-plugin='.length) : []));
  if (name === undefined) {
    await writeOut(makePluginProgram().helpInformation());
    return args.every((arg) => arg === '--help' || arg === '-h') ? 0 : 2;
  }
  const stateMachine = STATE_MACHINES.get(name);
  if (stateMachine === undefined) {
    process.stderr.write(`age-plugin-esk: state machine ${JSON.stringify(name)} is not supported\n`);
    return 1;
  }
  const input = new ByteReader((await openInput()).stream);
  try {
    await stateMachine(new Peer(input, writeOut), service);
  } finally {
    // An open input would keep the process running.
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

const STATE_MACHINES: ReadonlyMap<string, (peer: Peer, service: PluginService) => Promise<void>> = new Map([
  ['recipient-v1', wrapForRecipients],
  ['identity-v1', unwrapWithIdentities],
]);
