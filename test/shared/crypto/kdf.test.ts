import { createSecretKey, Hmac } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { deriveKey } from '../../../shared/crypto/kdf.ts';

/** NIST CAVP, KDFCTR_gen: PRF=HMAC_SHA256, CTRLOCATION=BEFORE_FIXED, RLEN=32_BITS. */
const VECTORS = [
  {
    count: 0,
    bits: 128,
    ki: 'dd1d91b7d90b2bd3138533ce92b272fbf8a369316aefe242e659cc0ae238afe0',
    fixedInput:
      '01322b96b30acd197979444e468e1c5c6859bf1b1cf951b7e725303e237e46b864a145fab25e517b08f8683d0315bb2911d80a0e8aba17f3b413faac',
    ko: '10621342bfb0fd40046c0e29f2cfdbf0',
  },
  {
    count: 9,
    bits: 128,
    ki: '3433f2c53824d6eebe11e11eb656da9740c5a342f5769df7fe17c4c4801132ca',
    fixedInput:
      '07e3f8ff03e6af5aad503cacb1db119d3178bbd3e2377888d6f5e6b7bf7b8f7c563a88aa8a778848f4dc01b29caf85a3b2307e3cdfe3de1e7043ddef',
    ko: 'ae81916cd3641c59897512649b657252',
  },
  {
    count: 10,
    bits: 256,
    ki: 'e204d6d466aad507ffaf6d6dab0a5b26152c9e21e764370464e360c8fbc765c6',
    fixedInput:
      '7b03b98d9f94b899e591f3ef264b71b193fba7043c7e953cde23bc5384bc1a6293580115fae3495fd845dadbd02bd6455cf48d0f62b33e62364a3a80',
    ko: '770dfab6a6a4a4bee0257ff335213f78d8287b4fd537d5c1fffa956910e7c779',
  },
  {
    count: 19,
    bits: 256,
    ki: '2eb0a49fd3199a57264f746b1c8acbc76f7ce51223f72134590fbbeb3176264b',
    fixedInput:
      '980a908ed38b6e699df3f44e651f0ad3a9d209d3867c495e52673855d09e4f1a58fb477067c400cacca9ab9260e205c4556905f2727925561280639c',
    ko: '06d5adc2d5c517bf40406cc6bb56553b222f70abf2bb505584000e88628baf17',
  },
  {
    count: 20,
    bits: 160,
    ki: 'dc60338d884eecb72975c603c27b360605011756c697c4fc388f5176ef81efb1',
    fixedInput:
      '44d7aa08feba26093c14979c122c2437c3117b63b78841cd10a4bc5ed55c56586ad8986d55307dca1d198edcffbc516a8fbe6152aa428cdd800c062d',
    ko: '29ac07dccf1f28d506cd623e6e3fc2fa255bd60b',
  },
  {
    count: 30,
    bits: 320,
    ki: 'c4bedbddb66493e7c7259a3bbbc25f8c7e0ca7fe284d92d431d9cd99a0d214ac',
    fixedInput:
      '1c69c54766791e315c2cc5c47ecd3ffab87d0d273dd920e70955814c220eacace6a5946542da3dfe24ff626b4897898cafb7db83bdff3c14fa46fd4b',
    ko: '1da47638d6c9c4d04d74d4640bbd42ab814d9e8cc22f4326695239f96b0693f12d0dd1152cf44430',
  },
  {
    count: 39,
    bits: 320,
    ki: '1d9209183e557d3aac7e2ab53d26ec659df2a745fe56a53818ef5853a42ce194',
    fixedInput:
      'c01a431a32833930a22abee5c6ea34db459316def3b241529ece7e39e2069a1e6b942946132eebc9679801d2cefef4bbb6a1b84ef853325b7bc498fd',
    ko: 'dabcffa16a7589deee6c768aaf01e0813de909005526da54700083ef068f854d49941279689a1726',
  },
] as const;

function derive(ki: string, fixedInput: string, length: number): string {
  return deriveKey(createSecretKey(Buffer.from(ki, 'hex')), Buffer.from(fixedInput, 'hex'), length).toString('hex');
}

describe('the SP 800-108 KDF in counter mode over HMAC-SHA256', () => {
  test.each(VECTORS)('meets NIST CAVP, KDFCTR_gen, L = $bits, COUNT = $count', ({ bits, ki, fixedInput, ko }) => {
    expect(derive(ki, fixedInput, bits / 8)).toBe(ko);
  });

  test('gives the requested length, and a longer output begins with the shorter', () => {
    const [{ ki, fixedInput }] = VECTORS;
    const longest = derive(ki, fixedInput, 100);
    for (let length = 1; length <= 100; length++) {
      expect(derive(ki, fixedInput, length)).toBe(longest.slice(0, 2 * length));
    }
  });

  test('another key or another input gives other bytes', () => {
    const [{ ki, fixedInput, ko }, other] = VECTORS;
    expect(derive(other.ki, fixedInput, 16)).not.toBe(ko);
    expect(derive(ki, other.fixedInput, 16)).not.toBe(ko);
    expect(derive(ki, `${fixedInput}00`, 16)).not.toBe(ko);
  });

  test('computes no extra block, and wipes each block at the end', () => {
    const digest = vi.spyOn(Hmac.prototype, 'digest');
    const [{ ki, fixedInput }] = VECTORS;
    expect(derive(ki, fixedInput, 64)).not.toBe('00'.repeat(64));
    const blocks = digest.mock.results.map(({ value }) => value);
    digest.mockRestore();
    expect(blocks).toEqual([Buffer.alloc(32), Buffer.alloc(32)]);
  });
});
