import { type Bytes, concat } from './bytes.ts';

const LF = 10;

/** Reads a stream by lines and by numbers of bytes. It holds what was asked for and one chunk of the source, no more. */
export class ByteReader {
  readonly #source: ReadableStreamDefaultReader<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array();
  #isCancelled = false;

  constructor(source: ReadableStream<Uint8Array>) {
    this.#source = source.getReader();
  }

  /** The next bytes of the source as they come, at least one; `undefined` at its end. */
  async readSome(): Promise<Uint8Array | undefined> {
    if (!(await this.#fill())) return undefined;
    return this.#take(this.#chunk.length);
  }

  /** The next `length` bytes; fewer at the end of the source alone. */
  read(length: number): Promise<Bytes> {
    return this.readInto(new Uint8Array(length));
  }

  /** As {@link read}, as many bytes as the buffer has room for; what is returned is its beginning. */
  async readInto(buffer: Bytes): Promise<Bytes> {
    let filled = 0;
    while (filled < buffer.length && (await this.#fill())) {
      const part = this.#take(buffer.length - filled);
      buffer.set(part, filled);
      filled += part.length;
    }
    return buffer.subarray(0, filled);
  }

  /**
   * The bytes up to the next line feed, without it; `undefined` where none comes within `limit` bytes or before the
   * end of the source.
   */
  async readLine(limit: number): Promise<Bytes | undefined> {
    const parts: Uint8Array[] = [];
    let length = 0;
    while (await this.#fill()) {
      const end = this.#chunk.indexOf(LF);
      const part = this.#take(end === -1 ? this.#chunk.length : end);
      parts.push(part);
      length += part.length;
      if (length > limit) return undefined;
      if (end !== -1) {
        this.#take(1);
        return concat(...parts);
      }
    }
    return undefined;
  }

  /** Whether every byte of the source was read. */
  async isAtEnd(): Promise<boolean> {
    return !(await this.#fill());
  }

  /** Puts bytes back, to be read next. */
  unread(bytes: Uint8Array): void {
    this.#chunk = concat(bytes, this.#chunk);
  }

  /** Tells the source that no more is wanted, and why. What is read afterwards fails. */
  async cancel(reason: unknown): Promise<void> {
    this.#isCancelled = true;
    await this.#source.cancel(reason);
  }

  /** Makes sure that the chunk at hand has a byte, unless the source has ended. */
  async #fill(): Promise<boolean> {
    while (this.#chunk.length === 0) {
      const { value } = await this.#source.read();
      // A cancelled source seems to have ended: what was read until then must not pass for the whole.
      if (this.#isCancelled) throw new DOMException('the stream was canceled', 'AbortError');
      if (value === undefined) return false;
      this.#chunk = value;
    }
    return true;
  }

  #take(most: number): Uint8Array {
    const taken = this.#chunk.subarray(0, most);
    this.#chunk = this.#chunk.subarray(most);
    return taken;
  }
}
