import { createHash, randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { ownStack } from '../../../test/support/own-stack.ts';
import { makeTenant } from '../../../test/support/tenant.ts';
import { bytesOf, piped } from '../support/piped.ts';

const stack = ownStack();

const GIB = 2 ** 30;
/** Peak memory depends on the garbage collector. Measured peaks varied between 130 and 290 MiB. */
const MEMORY_LIMIT = GIB / 2;

test.each([
  ['without armor', []],
  ['with armor', ['--armor']],
])(
  'esk encrypts 1 GiB %s and decrypts it unchanged, with less than 512 MiB of memory',
  async (_, armor) => {
    const tenant = await makeTenant(stack);
    const key = await tenant.createKey('software');
    const env = { ESK_URL: stack.baseUrl, ESK_API_KEY: tenant.api.token ?? '' };
    const block = randomBytes(2 ** 20);
    const [sent, received] = [createHash('sha256'), createHash('sha256')];
    for await (const some of bytesOf(GIB, block)) sent.update(some);

    const file = new PassThrough();
    const [encrypted, decrypted] = await Promise.all([
      piped(['esk', 'encrypt', '--key', key, ...armor], env, bytesOf(GIB, block), (output) => pipeline(output, file)),
      piped(['esk', 'decrypt'], env, file, async (output) => {
        for await (const some of output) received.update(some);
      }),
    ]);
    expect(received.digest('hex')).toBe(sent.digest('hex'));
    for (const { peakRssBytes } of [encrypted, decrypted]) {
      expect(peakRssBytes).toBeGreaterThan(0);
      expect(peakRssBytes).toBeLessThan(MEMORY_LIMIT);
    }
  },
  300_000,
);
