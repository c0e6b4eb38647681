import { createSecretKey, Hmac } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { deriveKey } from '../../../shared/crypto/kdf.ts';

/** NIST CAVP, KDFCTR_gen: PRF=HMAC_SHA512, CTRLOCATION=BEFORE_FIXED, RLEN=32_BITS. */
const VECTORS = [
  {
    count: 0,
    bits: 128,
    ki: 'dd5dbd45593ee2ac139748e7645b450f223d2ff297b73fd71cbcebe71d41653c950b88500de5322d99ef18dfdd30428294c4b3094f4c954334e593bd982ec614',
    fixedInput:
      'b50b0c963c6b3034b8cf19cd3f5c4ebe4f4985af0c03e575db62e6fdf1ecfe4f28b95d7ce16df85843246e1557ce95bb26cc9a21974bbd2eb69e8355',
    ko: 'e5993bf9bd2aa1c45746042e12598155',
  },
  {
    count: 10,
    bits: 256,
    ki: '5be2bf7f5e2527e15fe65cde4507d98ba55457006867de9e4f36645bcff4ca38754f92898b1c5544718102593b8c26d45d1fceaea27d97ede9de8b9ebfe88093',
    fixedInput:
      '004b13c1f628cb7a00d9498937bf437b71fe196cc916c47d298fa296c6b86188073543bbc66b7535eb17b5cf43c37944b6ca1225298a9e563413e5bb',
    ko: 'cee0c11be2d8110b808f738523e718447d785878bbb783fb081a055160590072',
  },
  {
    count: 20,
    bits: 160,
    ki: '9dd03864a31aa4156ca7a12000f541680ce0a5f4775eef1088ac13368200b447a78d0bf14416a1d583c54b0f11200ff4a8983dd775ce9c0302d262483e300ae6',
    fixedInput:
      '037369f142d669fca9e87e9f37ae8f2c8d506b753fdfe8a3b72f75cac1c50fa1f8620883b8dcb8dcc67adcc95e70aa624adb9fe1b2cb396692b0d2e8',
    ko: '96e8d1bc01dc95c0bf42c3c38fc54c090373ced4',
  },
  {
    count: 30,
    bits: 320,
    ki: 'a9f4a2c5af839867f5db5a1e520ab3cca72a166ca60de512fd7fe7e64cf94f92cf1d8b636175f293e003275e021018c3f0ede495997a505ec9a2afeb0495be57',
    fixedInput:
      '8e9db3335779db688bcfe096668d9c3bc64e193e3529c430e68d09d56c837dd6c0f94678f121a68ee1feea4735da85a49d34a5290aa39f7b40de435f',
    ko: '6db880daac98b078ee389a2164252ded61322d661e2b49247ea921e544675d8f17af2bf66dd40d81',
  },
  {
    count: 32,
    bits: 320,
    ki: 'f5567a2dd9236a99200c4bd5390743e2560bab4b196e3c732b01abf900c7649cab5b957da6ae8fd025605147b36572c19f103670b16f6bb57c138754479ad45d',
    fixedInput:
      'a8ccd4bd36fb0ed0765e9662f1028d600bd650e4c2cdddf94b27ee881120aaf74b727b02f0036b46162062e39ed43fa85687a58d177af6f566811889',
    ko: '2e55b73d126db0f92810266c92e4dc7a7f2d32cbed9eb4edab519e5cc9138c642fd4b229780c17bf',
  },
] as const;

function derive(ki: string, fixedInput: string, length: number): string {
  return deriveKey(createSecretKey(Buffer.from(ki, 'hex')), Buffer.from(fixedInput, 'hex'), length).toString('hex');
}

describe('the SP 800-108 KDF in counter mode over HMAC-SHA512', () => {
  test.each(VECTORS)(
    'the KDF agrees with the NIST CAVP test KDFCTR_gen, L = $bits, COUNT = $count',
    ({ bits, ki, fixedInput, ko }) => {
      expect(derive(ki, fixedInput, bits / 8)).toBe(ko);
    },
  );

  test('the KDF returns the requested number of bytes, and a longer output begins with the shorter output', () => {
    const [{ ki, fixedInput }] = VECTORS;
    const longest = derive(ki, fixedInput, 64);
    for (let length = 1; length <= 64; length++) {
      expect(derive(ki, fixedInput, length)).toBe(longest.slice(0, 2 * length));
    }
  });

  test('the KDF returns a different output for a different key or input', () => {
    const [{ ki, fixedInput, ko }, other] = VECTORS;
    expect(derive(other.ki, fixedInput, 16)).not.toBe(ko);
    expect(derive(ki, other.fixedInput, 16)).not.toBe(ko);
    expect(derive(ki, `${fixedInput}00`, 16)).not.toBe(ko);
  });

  test('the KDF refuses to derive more than one block', () => {
    const [{ ki, fixedInput }] = VECTORS;
    expect(() => derive(ki, fixedInput, 65)).toThrow(RangeError);
  });

  test('the KDF wipes the bytes of the block that it does not return', () => {
    const digest = vi.spyOn(Hmac.prototype, 'digest');
    const [{ ki, fixedInput, ko }] = VECTORS;
    derive(ki, fixedInput, 16);
    const blocks = digest.mock.results.map(({ value }) => value);
    digest.mockRestore();
    expect(blocks).toEqual([Buffer.concat([Buffer.from(ko, 'hex'), Buffer.alloc(48)])]);
  });
});
