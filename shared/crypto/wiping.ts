/** Fills the bytes with zeros when the block is left that holds this, however it is left: `using _ = wiping(dek)`. */
export function wiping(bytes: Uint8Array): Disposable {
  return { [Symbol.dispose]: () => void bytes.fill(0) };
}
