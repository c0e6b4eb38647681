import { createHash, randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { beforeAll, expect, inject, test } from 'vitest';
import { makeTenant } from '../../../../test/support/tenant.ts';
import { start } from '../../support/esk.ts';

let env: Record<string, string>;
beforeAll(async () => {
  const { api, createKey } = await makeTenant(inject('stack'));
  await createKey('software', 'files');
  env = { ESK_URL: api.stack.baseUrl, ESK_API_KEY: api.token ?? '' };
});

const GIB = 2 ** 30;
/** Peak memory depends on the garbage collector. Measured peaks varied between 130 and 290 MiB. */
const MEMORY_LIMIT_KIB = 2 ** 19;

/** Makes `esk` write its peak memory in KiB to standard error when it ends. */
const REPORT_PEAK =
  "import{writeSync}from'node:fs';process.on('exit',()=>writeSync(2,'peak '+process.resourceUsage().maxRSS))";

/** Runs `esk` with an input, and passes its output to `read`. Returns what it writes to standard error. */
async function piped(
  args: readonly string[],
  input: AsyncIterable<Uint8Array>,
  read: (output: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<string> {
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURI(REPORT_PEAK)}`;
  const { child, ended } = start(args, { env: { ...env, NODE_OPTIONS } });
  await Promise.all([pipeline(input, child.stdin), read(child.stdout)]);
  return (await ended).stderr;
}

test('esk encrypts 1 GiB with armor and decrypts it unchanged, with less than 512 MiB of memory', async () => {
  const block = randomBytes(2 ** 20);
  async function* blocks() {
    for (let sent = 0; sent < GIB; sent += block.length) yield block;
  }
  const [sent, received] = [createHash('sha256'), createHash('sha256')];
  for await (const some of blocks()) sent.update(some);

  const file = new PassThrough();
  const reports = await Promise.all([
    piped(['encrypt', '--key', 'files', '--armor'], blocks(), (output) => pipeline(output, file)),
    piped(['decrypt'], file, async (output) => {
      for await (const some of output) received.update(some);
    }),
  ]);
  expect(received.digest('hex')).toBe(sent.digest('hex'));
  for (const report of reports) {
    const [, peakKib] = /^peak (\d+)$/.exec(report) ?? [];
    expect(Number(peakKib)).toBeLessThan(MEMORY_LIMIT_KIB);
  }
});
