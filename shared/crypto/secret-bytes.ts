/** Secret bytes, filled with zeros on disposal. */
export class SecretBytes implements Disposable {
  readonly #kept: Uint8Array[] = [];

  /** Has the bytes wiped as well, and returns them. */
  keep<Bytes extends Uint8Array>(bytes: Bytes): Bytes {
    this.#kept.push(bytes);
    return bytes;
  }

  [Symbol.dispose](): void {
    for (const bytes of this.#kept) bytes.fill(0);
  }
}
