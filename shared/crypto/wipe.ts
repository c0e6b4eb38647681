export function wipe(bytes: Uint8Array): void {
  bytes.fill(0);
}
