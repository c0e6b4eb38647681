/** Overwrites secret bytes with zeros at the end of a `using` block. */
export class SecretBytes implements Disposable {
  readonly #kept: Uint8Array[] = [];

  /** Returns the same bytes, and wipes them when this object is disposed of. */
  keep<Bytes extends Uint8Array>(bytes: Bytes): Bytes {
    this.#kept.push(bytes);
    return bytes;
  }

  [Symbol.dispose](): void {
    for (const bytes of this.#kept) bytes.fill(0);
  }
}
