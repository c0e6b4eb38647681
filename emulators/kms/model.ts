import { createPrivateKey, createSecretKey, KeyObject } from 'node:crypto';
import { z } from 'zod';

const bytes = z.codec(
  z.base64(),
  z.custom<Buffer>((value) => Buffer.isBuffer(value)),
  { decode: (text) => Buffer.from(text, 'base64'), encode: (value) => value.toString('base64') },
);

const keyOf = (type: KeyObject['type']) =>
  z.custom<KeyObject>((value) => value instanceof KeyObject && value.type === type);

const secretKey = z.codec(z.base64(), keyOf('secret'), {
  decode: (text) => createSecretKey(text, 'base64'),
  encode: (key) => key.export().toString('base64'),
});

const privateKey = z.codec(z.string().startsWith('-----BEGIN PRIVATE KEY-----'), keyOf('private'), {
  decode: (pem) => createPrivateKey(pem),
  encode: (key) => key.export({ type: 'pkcs8', format: 'pem' }).toString(),
});

const keyMaterial = z.union([secretKey, privateKey]);

const time = z.number();
const created = { id: z.int().positive(), createTime: time };
const generated = { ...created, generateTime: time };

const cryptoKeyVersion = z.discriminatedUnion('state', [
  z.object({ state: z.literal('PENDING_GENERATION'), ...created }),
  z.object({ state: z.literal('ENABLED'), ...generated, key: keyMaterial }),
  z.object({ state: z.literal('DISABLED'), ...generated, key: keyMaterial }),
  z.object({ state: z.literal('DESTROY_SCHEDULED'), ...generated, key: keyMaterial, destroyTime: time }),
  z.object({ state: z.literal('DESTROYED'), ...generated, destroyEventTime: time }),
]);

const algorithm = z.enum(['GOOGLE_SYMMETRIC_ENCRYPTION', 'EC_SIGN_ED25519']);
const protectionLevel = z.enum(['SOFTWARE', 'HSM']);

const cryptoKey = z.object({
  name: z.string(),
  /** The unique id of the key, 16 bytes long. It is stored in each ciphertext of the key. */
  uid: bytes,
  createTime: time,
  algorithm,
  protectionLevel,
  destroyScheduledDuration: z.number(),
  primary: z.int().positive().nullable(),
  /** The versions in order. Version n is at index n - 1. */
  versions: z.array(cryptoKeyVersion),
});

const keyRing = z.object({ name: z.string(), createTime: time });

/** The state that is saved. Times and durations are in milliseconds. */
export const kmsState = z.object({ keyRings: z.array(keyRing), cryptoKeys: z.array(cryptoKey) });

export type KmsState = z.output<typeof kmsState>;
export type KeyRing = z.output<typeof keyRing>;
export type CryptoKey = z.output<typeof cryptoKey>;
export type Algorithm = z.output<typeof algorithm>;
export type ProtectionLevel = z.output<typeof protectionLevel>;
/** A version. It is immutable: to change its state, make a new value. Destroyed versions have no `key`. */
export type CryptoKeyVersion = z.output<typeof cryptoKeyVersion>;
