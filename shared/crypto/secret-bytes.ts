export class SecretBytes implements Disposable {
  readonly #kept: Uint8Array[] = [];

  /** Returns the bytes, and wipes them on disposal. */
  keep<Bytes extends Uint8Array>(bytes: Bytes): Bytes {
    this.#kept.push(bytes);
    return bytes;
  }

  [Symbol.dispose](): void {
    for (const bytes of this.#kept) bytes.fill(0);
  }
}
