import { createPublicKey, verify } from 'node:crypto';
import type { KeyManagementServiceClient } from '@google-cloud/kms';
import { describe, expect, test } from 'vitest';
import { ChecksumMismatch } from '../../../shared/kms/integrity.ts';
import { SigningKey } from '../../../shared/kms/signing-key.ts';
import { createSigningVersion, openKms } from '../../emulators/kms-harness.ts';

const DATA = Buffer.from('three\nlines\nof text\n');
const OTHER = Buffer.from('something else');

type Calls = KeyManagementServiceClient['innerApiCalls'];

/** A key of the emulator's; `damage` changes what its client sends and is answered. */
async function open(damage: (calls: Calls) => void = () => undefined) {
  const { client } = await openKms();
  const name = await createSigningVersion(client, 'k');
  await client.initialize();
  damage(client.innerApiCalls);
  return { client, name, key: new SigningKey(name, async () => client) };
}

/** Changes what a call sends or is answered, this many times. */
function changing(call: string, times: number, change: { request?: object; answer?: object }) {
  let left = times;
  return (calls: Calls) => {
    const inner = calls[call];
    if (inner === undefined) throw new Error(`no call ${call}`);
    calls[call] = async (request: object, ...rest: unknown[]) => {
      if (left-- <= 0) return inner(request, ...rest);
      const [answer, ...more] = await inner({ ...request, ...change.request }, ...rest);
      return [{ ...answer, ...change.answer }, ...more];
    };
  };
}

describe('a signing key', () => {
  test('signs so that its public key verifies it, and the same the same way', async () => {
    const { key } = await open();
    const x = Buffer.from(await key.publicKey()).toString('base64url');
    const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
    const signature = await key.sign(DATA);
    expect(verify(null, DATA, publicKey, signature)).toBe(true);
    expect(await key.sign(DATA)).toEqual(signature);
  });

  test('asks for its public key until it has it, and then no more', async () => {
    const { client, name, key } = await open();
    const disable = (state: 'DISABLED' | 'ENABLED') =>
      client.updateCryptoKeyVersion({ cryptoKeyVersion: { name, state }, updateMask: { paths: ['state'] } });
    await disable('DISABLED');
    await expect(key.publicKey()).rejects.toThrow('not enabled');
    await disable('ENABLED');
    const had = await key.publicKey();
    await disable('DISABLED');
    expect(await key.publicKey()).toBe(had);
  });
});

describe('what is damaged on the way', () => {
  const damages = [
    ['the message to sign', 'asymmetricSign', { request: { data: OTHER } }],
    ['a signature', 'asymmetricSign', { answer: { signature: Buffer.alloc(64) } }],
    ['the word that it was verified', 'asymmetricSign', { answer: { verifiedDataCrc32c: false } }],
    ['the name of who signed', 'asymmetricSign', { answer: { name: 'another' } }],
    ['a public key', 'getPublicKey', { answer: { pem: 'another' } }],
    ['the name of the public key', 'getPublicKey', { answer: { name: 'another' } }],
  ] as const;

  test.for(damages)('%s is tried again, and no more than a few times', async ([, call, change]) => {
    const use = (key: SigningKey) => (call === 'asymmetricSign' ? key.sign(DATA) : key.publicKey());
    const once = await open(changing(call, 1, change));
    expect(await use(once.key)).toHaveLength(call === 'asymmetricSign' ? 64 : 32);
    const always = await open(changing(call, 9, change));
    await expect(use(always.key)).rejects.toThrow(ChecksumMismatch);
  });
});
