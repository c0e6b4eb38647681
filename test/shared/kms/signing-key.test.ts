import { createPublicKey, verify } from 'node:crypto';
import type { KeyManagementServiceClient } from '@google-cloud/kms';
import { describe, expect, test } from 'vitest';
import { ChecksumMismatch } from '../../../shared/kms/integrity.ts';
import { SigningKey } from '../../../shared/kms/signing-key.ts';
import { createSigningVersion, openKms } from '../../emulators/kms-harness.ts';

const DATA = Buffer.from('three\nlines\nof text\n');
const OTHER = Buffer.from('something else');

type Calls = KeyManagementServiceClient['innerApiCalls'];

/** Makes a signing key in the emulator. `damage` can change what its KMS client sends and receives. */
async function open(damage: (calls: Calls) => void = () => undefined) {
  const { client } = await openKms();
  const name = await createSigningVersion(client, 'k');
  await client.initialize();
  damage(client.innerApiCalls);
  return { client, name, key: new SigningKey(name, async () => client) };
}

/** Returns a function for `open` that damages the request or the answer of the first `times` calls. */
function damaging(call: string, times: number, change: { request?: object; answer?: object }) {
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
  test('a signature verifies with the public key, and signing the same data again returns the same signature', async () => {
    const { key } = await open();
    const x = Buffer.from(await key.publicKey()).toString('base64url');
    const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
    const signature = await key.sign(DATA);
    expect(verify(null, DATA, publicKey, signature)).toBe(true);
    expect(await key.sign(DATA)).toEqual(signature);
  });

  test('the public key is read until a read succeeds, and then cached', async () => {
    const { client, name, key } = await open();
    const disable = (state: 'DISABLED' | 'ENABLED') =>
      client.updateCryptoKeyVersion({ cryptoKeyVersion: { name, state }, updateMask: { paths: ['state'] } });
    await disable('DISABLED');
    await expect(key.publicKey()).rejects.toThrow('not enabled');
    await disable('ENABLED');
    const cached = await key.publicKey();
    await disable('DISABLED');
    expect(await key.publicKey()).toBe(cached);
  });
});

describe('damage to data in transit', () => {
  const damages = [
    ['the message to sign', 'asymmetricSign', { request: { data: OTHER } }],
    ['a signature', 'asymmetricSign', { answer: { signature: Buffer.alloc(64) } }],
    [
      'the flag that the KMS verified the request’s checksum',
      'asymmetricSign',
      { answer: { verifiedDataCrc32c: false } },
    ],
    ['the name of the signing key', 'asymmetricSign', { answer: { name: 'another' } }],
    ['a public key', 'getPublicKey', { answer: { pem: 'another' } }],
    ['the name of the public key', 'getPublicKey', { answer: { name: 'another' } }],
  ] as const;

  test.for(damages)(
    'a KMS call is retried if %s was damaged in transit, and fails after a few attempts',
    async ([, call, change]) => {
      const use = (key: SigningKey) => (call === 'asymmetricSign' ? key.sign(DATA) : key.publicKey());
      const once = await open(damaging(call, 1, change));
      expect(await use(once.key)).toHaveLength(call === 'asymmetricSign' ? 64 : 32);
      const always = await open(damaging(call, 9, change));
      await expect(use(always.key)).rejects.toThrow(ChecksumMismatch);
    },
  );
});
