import type { PluginService } from '../../src/age-plugin/peer.ts';
import { Peer } from '../../src/age-plugin/peer.ts';
import { ByteReader } from '../../src/files/byte-reader.ts';
import { concat } from '../../src/files/bytes.ts';
import { encodeStanza, readStanza, type Stanza } from '../../src/files/stanza.ts';
import { readerOf } from './streams.ts';

type StateMachine = (peer: Peer, service: PluginService) => Promise<void>;

/** Returns a stanza of the age plugin protocol (a command or an answer): a line of arguments and an optional body. */
export function stanza(line: string, body: Uint8Array = new Uint8Array()): Stanza {
  return { args: line.split(' '), body };
}

/**
 * Acts as age: sends all commands of the first phase, and then answers each command of the plugin until the plugin
 * sends `done`. Returns the plugin's commands.
 */
export async function play(
  stateMachine: StateMachine,
  service: PluginService,
  commands: readonly Stanza[],
  answers: readonly Stanza[] = [stanza('ok')],
): Promise<Stanza[]> {
  const sent: Stanza[] = [];
  let isDone = false;
  const input = new TransformStream<Uint8Array, Uint8Array>();
  const writer = input.writable.getWriter();
  const first = writer.write(concat(...[...commands, stanza('done')].map(encodeStanza)));
  const write = async (bytes: Uint8Array) => {
    const command = await readStanza(readerOf(bytes));
    if (command === undefined) throw new Error('the plugin sent no stanza');
    if (command.args[0] === 'done') {
      isDone = true;
      return;
    }
    const answer = answers[sent.push(command) % answers.length] ?? stanza('ok');
    void writer.write(encodeStanza(answer));
  };
  await stateMachine(new Peer(new ByteReader(input.readable), write), service);
  await first;
  if (!isDone) throw new Error('the plugin did not end its phase');
  return sent;
}

/** Returns the arguments and the body of each stanza as text. */
export function words(stanzas: readonly Stanza[]): string[] {
  return stanzas.map(({ args, body }) =>
    [...args, ...(body.length > 0 ? [Buffer.from(body).toString()] : [])].join(' '),
  );
}
