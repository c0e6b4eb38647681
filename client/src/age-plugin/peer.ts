import type { ByteReader } from '../files/byte-reader.ts';
import { utf8 } from '../files/bytes.ts';
import type { KeyService } from '../files/key-service.ts';
import { encodeStanza, readStanza, type Stanza } from '../files/stanza.ts';

export interface PluginService {
  /** Connects to the service. The plugin connects only when it needs a key. Throws if there is no credential. */
  connect(): Promise<KeyService>;
  explain(error: unknown): string;
}

export type Write = (bytes: Uint8Array) => Promise<void>;

/** The program that started the plugin, such as age. It uses the plugin's standard input and output. */
export class Peer {
  readonly #input: ByteReader;
  readonly #write: Write;

  constructor(input: ByteReader, write: Write) {
    this.#input = input;
    this.#write = write;
  }

  /** Yields the commands that the other program sends, until its phase of the protocol ends. */
  async *commands(): AsyncGenerator<Stanza> {
    for (let stanza = await this.#read(); stanza.args[0] !== 'done'; stanza = await this.#read()) yield stanza;
  }

  /**
   * Sends a command in a phase that the plugin controls. Ignores the response, because the plugin asks no questions.
   */
  async send(args: readonly string[], body: Uint8Array = new Uint8Array()): Promise<void> {
    await this.#write(encodeStanza({ args, body }));
    await this.#read();
  }

  async sendError(about: readonly (string | number)[], message: string): Promise<void> {
    await this.send(['error', ...about.map(String)], utf8(message));
  }

  async done(): Promise<void> {
    await this.#write(encodeStanza({ args: ['done'], body: new Uint8Array() }));
  }

  async #read(): Promise<Stanza> {
    const stanza = await readStanza(this.#input);
    if (stanza === undefined) throw new Error('the calling program does not speak the age plugin protocol');
    return stanza;
  }
}
