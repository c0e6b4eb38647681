import { type Bytes, isUint8Array, utf8 } from '../files/bytes.ts';
import { type FieldType, isText } from './options.ts';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns a copy of a value's bytes, or `undefined` if the value does not have the type. */
export function bytesOfValue(type: FieldType, value: unknown): Bytes | undefined {
  switch (type) {
    case 'text':
      return isText(value) ? utf8(value) : undefined;
    case 'bytes':
      return isUint8Array(value) ? new Uint8Array(value) : undefined;
    case 'json': {
      const text = jsonOf(value);
      return text === undefined ? undefined : utf8(text);
    }
  }
}

/** Returns the value of decrypted bytes. Throws if they are no text or no JSON. */
export function valueOfBytes(type: FieldType, bytes: Bytes): unknown {
  if (type === 'bytes') return bytes;
  const text = decoder.decode(bytes);
  return type === 'text' ? text : JSON.parse(text);
}

/** Returns a value as JSON, or `undefined` if parsing the JSON would give another value. */
function jsonOf(value: unknown): string | undefined {
  try {
    const text: unknown = JSON.stringify(value);
    return typeof text === 'string' && isSame(value, JSON.parse(text)) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a value equals what its JSON was parsed to. */
function isSame(value: unknown, parsed: unknown): boolean {
  if (typeof value !== 'object' || value === null) return Object.is(value, parsed);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(value) !== Array.isArray(parsed)) return false;
  if (!Array.isArray(value) && !isPlain(value)) return false;
  const [names, others] = [Reflect.ownKeys(value), Reflect.ownKeys(parsed)];
  if (names.length !== others.length) return false;
  return others.every((name) => names.includes(name) && isSame(Reflect.get(value, name), Reflect.get(parsed, name)));
}

/** Whether the object is of no class: its prototype is that of objects, of any realm, or none. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || (typeof prototype === 'object' && Object.getPrototypeOf(prototype) === null);
}
