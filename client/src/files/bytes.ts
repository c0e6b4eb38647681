/** Web Crypto requires bytes that are not shared with another thread. */
export type Bytes = Uint8Array<ArrayBuffer>;

const TYPED_ARRAY: object = Object.getPrototypeOf(Uint8Array.prototype);

/** Whether the value is a `Uint8Array` of any realm. For one of another realm, such as jsdom, `instanceof` is false. */
export function isUint8Array(value: unknown): value is Uint8Array {
  return Reflect.get(TYPED_ARRAY, Symbol.toStringTag, value) === 'Uint8Array';
}

/** Returns the bytes of a chunk: any view or buffer, of any realm. Throws a `TypeError` for anything else. */
export function bytesOf(chunk: unknown): Uint8Array {
  if (ArrayBuffer.isView(chunk)) return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  if (isBuffer(chunk)) return new Uint8Array(chunk);
  throw new TypeError('a chunk must be bytes, such as a Uint8Array');
}

/** Returns bytes that no other thread can change: the same, or a copy. The platform's own streams take no others. */
export function unshared(bytes: Uint8Array): Bytes {
  return isUnshared(bytes) ? bytes : new Uint8Array(bytes);
}

function isUnshared(bytes: Uint8Array): bytes is Bytes {
  return Object.prototype.toString.call(bytes.buffer) === '[object ArrayBuffer]';
}

function isBuffer(value: unknown): value is ArrayBufferLike {
  try {
    Reflect.construct(DataView, [value]);
    return true;
  } catch {
    return false;
  }
}

export function concat(...parts: readonly Uint8Array[]): Bytes {
  return join(parts);
}

/** Like {@link concat}, for more parts than a call may have arguments. */
export function join(parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const encoder = new TextEncoder();

export function utf8(text: string): Bytes {
  return encoder.encode(text);
}

export function random(length: number): Bytes {
  return crypto.getRandomValues(new Uint8Array(length));
}

const decoder = new TextDecoder('latin1');

/** Decodes ASCII. Each non-ASCII byte becomes another character, so no byte is lost. */
export function ascii(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
