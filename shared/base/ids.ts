import { randomUUID } from 'node:crypto';
import { z } from 'zod';

declare const kind: unique symbol;

export type Id<Kind extends string> = string & { readonly [kind]: Kind };

export type TenantId = Id<'tenant'>;
export type UserId = Id<'user'>;
export type ContainerId = Id<'container'>;
export type FirewallId = Id<'firewall'>;
export type ApiKeyId = Id<'api key'>;
export type KeyId = Id<'key'>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function isUuid<T extends Id<string>>(text: string): text is T {
  return UUID.test(text);
}

/** Returns a UUID (RFC 9562) in lower case, or `undefined` if the text is not a UUID. */
export function parseId<T extends Id<string>>(text: string): T | undefined {
  const lower = text.length === 36 ? text.toLowerCase() : '';
  return isUuid<T>(lower) ? lower : undefined;
}

export function makeId<T extends Id<string>>(): T {
  return idFromBytes(Buffer.from(randomUUID().replaceAll('-', ''), 'hex'));
}

/** Throws a `TypeError` unless there are 16 bytes. */
export function idFromBytes<T extends Id<string>>(bytes: Uint8Array): T {
  const hex = Buffer.from(bytes).toString('hex');
  const text = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  if (!isUuid<T>(text)) throw new TypeError('an id must be 16 bytes long');
  return text;
}

/** Returns the 16 bytes of an id. */
export function idBytes(id: Id<string>): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

/** The schema of an id in lower case, as it is stored. */
export function idSchema<T extends Id<string>>() {
  return z.custom<T>((value) => typeof value === 'string' && UUID.test(value), 'not a UUID');
}
