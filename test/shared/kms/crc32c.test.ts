import { describe, expect, test } from 'vitest';
import { crc32c } from '../../../shared/kms/crc32c.ts';

/** RFC 3720 B.4. The RFC prints the checksum in wire byte order. */
const READ_COMMAND = '01c000000000000000000000000000001400000000000400000000140000001828000000000000000200000000000000';

describe('CRC32C', () => {
  test.each([
    ['32 bytes of zeroes', Buffer.alloc(32), 0x8a9136aa],
    ['32 bytes of ones', Buffer.alloc(32, 0xff), 0x62a8ab43],
    ['32 bytes counting up', Buffer.from(Array.from({ length: 32 }, (_, at) => at)), 0x46dd794e],
    ['32 bytes counting down', Buffer.from(Array.from({ length: 32 }, (_, at) => 31 - at)), 0x113fdb5c],
    ['an iSCSI read command', Buffer.from(READ_COMMAND, 'hex'), 0xd9963a56],
  ])('CRC32C matches RFC 3720 B.4: %s', async (_, bytes, checksum) => {
    expect(await crc32c(bytes)).toBe(checksum);
  });

  test('CRC32C of "123456789" is e3069283, the published check value', async () => {
    expect(await crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
  });

  test('CRC32C of no bytes is 0', async () => {
    expect(await crc32c(Buffer.alloc(0))).toBe(0);
  });

  test('CRC32C does not depend on earlier calls', async () => {
    const bytes = Buffer.from('123456789');
    await crc32c(Buffer.alloc(65_536, 1));
    expect(await crc32c(bytes)).toBe(0xe3069283);
    expect(await crc32c(Buffer.concat([Buffer.from('xx'), bytes]).subarray(2))).toBe(0xe3069283);
  });

  test('CRC32C detects every single flipped bit', async () => {
    const bytes = Buffer.from('a payload on its way to the KMS');
    const whole = await crc32c(bytes);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes);
      flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(await crc32c(flipped)).not.toBe(whole);
    }
  });
});
