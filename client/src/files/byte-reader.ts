import { type Bytes, bytesOf, concat, join } from './bytes.ts';

const LF = 10;

/**
 * Reads lines or a given number of bytes from a stream. Buffers only the requested bytes and one chunk. Reading a chunk
 * that is not bytes throws a `TypeError`.
 */
export class ByteReader {
  readonly #source: ReadableStreamDefaultReader<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array();
  #isCancelled = false;

  constructor(source: ReadableStream<Uint8Array>) {
    this.#source = source.getReader();
  }

  /** Returns at least one byte, or `undefined` at the end. */
  async readSome(): Promise<Uint8Array | undefined> {
    if (!(await this.#fill())) return undefined;
    return this.#take(this.#chunk.length);
  }

  /** Returns the next `length` bytes, or fewer at the end of the source. */
  read(length: number): Promise<Bytes> {
    return this.readInto(new Uint8Array(length));
  }

  /** Fills the buffer, or a part of it if the source ends earlier. Returns the filled part. */
  async readInto(buffer: Bytes): Promise<Bytes> {
    let filled = 0;
    while (filled < buffer.length && (await this.#fill())) {
      const part = this.#take(buffer.length - filled);
      buffer.set(part, filled);
      filled += part.length;
    }
    return buffer.subarray(0, filled);
  }

  /** Returns the bytes before the next line feed, or `undefined` if the next `limit` bytes contain no line feed. */
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
        return join(parts);
      }
    }
    return undefined;
  }

  async isAtEnd(): Promise<boolean> {
    return !(await this.#fill());
  }

  unread(bytes: Uint8Array): void {
    this.#chunk = concat(bytes, this.#chunk);
  }

  /** Cancels the source. Later reads fail. */
  async cancel(reason: unknown): Promise<void> {
    this.#isCancelled = true;
    await this.#source.cancel(reason);
  }

  async #fill(): Promise<boolean> {
    while (this.#chunk.length === 0) {
      const { done, value } = await this.#source.read();
      // A cancelled source reports its end, although the data is incomplete.
      if (this.#isCancelled) throw new DOMException('the stream was canceled', 'AbortError');
      if (done) return false;
      this.#chunk = bytesOf(value);
    }
    return true;
  }

  #take(most: number): Uint8Array {
    const taken = this.#chunk.subarray(0, most);
    this.#chunk = this.#chunk.subarray(most);
    return taken;
  }
}
