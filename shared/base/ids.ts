import { randomUUID } from 'node:crypto';
import { z } from 'zod';

declare const kind: unique symbol;

/** A lower-case UUID (RFC 9562) that names one kind of thing. */
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

/** The id that `text` spells in either case, or `undefined` when it is not a UUID. */
export function parseId<T extends Id<string>>(text: string): T | undefined {
  const lower = text.length === 36 ? text.toLowerCase() : '';
  return isUuid<T>(lower) ? lower : undefined;
}

/** A new random id. */
export function makeId<T extends Id<string>>(): T {
  return idFromBytes(Buffer.from(randomUUID().replaceAll('-', ''), 'hex'));
}

/** The id of these 16 bytes. Throws a `TypeError` for any other length. */
export function idFromBytes<T extends Id<string>>(bytes: Uint8Array): T {
  const hex = Buffer.from(bytes).toString('hex');
  const text = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  if (!isUuid<T>(text)) throw new TypeError('an id is 16 bytes');
  return text;
}

/** The id's 16 bytes. */
export function idBytes(id: Id<string>): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

/** The schema of a stored id, which is always in lower case. */
export function idSchema<T extends Id<string>>() {
  return z.custom<T>((value) => typeof value === 'string' && UUID.test(value), 'not a UUID');
}
