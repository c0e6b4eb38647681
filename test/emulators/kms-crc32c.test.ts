import { randomBytes } from 'node:crypto';
import { crc32 } from 'hash-wasm';
import { describe, expect, test } from 'vitest';
import { crc32c } from '../../emulators/kms/crc32c.ts';

describe('CRC32C', () => {
  test('CRC32C of "123456789" is e3069283', () => {
    expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
  });

  test('CRC32C of no bytes is 0', () => {
    expect(crc32c(Buffer.alloc(0))).toBe(0);
  });

  test('CRC32C matches the test vectors of RFC 3720 B.4', () => {
    expect(crc32c(Buffer.alloc(32, 0))).toBe(0x8a9136aa);
    expect(crc32c(Buffer.alloc(32, 0xff))).toBe(0x62a8ab43);
    expect(crc32c(Uint8Array.from({ length: 32 }, (_, index) => index))).toBe(0x46dd794e);
    expect(crc32c(Uint8Array.from({ length: 32 }, (_, index) => 31 - index))).toBe(0x113fdb5c);
  });

  test('CRC32C agrees with another implementation at every length and offset', async () => {
    const bytes = randomBytes(200);
    for (let length = 0; length < 100; length++) {
      const part = bytes.subarray(length % 9, (length % 9) + length);
      expect(crc32c(part), part.toString('hex')).toBe(Number.parseInt(await crc32(part, 0x82f63b78), 16));
    }
  });
});
