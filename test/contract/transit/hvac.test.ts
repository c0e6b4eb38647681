import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { makeTenant } from '../../support/tenant.ts';

/** hvac, the real program, where it is installed: Debian's package python3-hvac. */
const isInstalled = spawnSync('python3', ['-c', 'import hvac']).status === 0;
const PROGRAM = fileURLToPath(new URL('with_hvac.py', import.meta.url));
const stack = inject('stack');

test.skipIf(!isInstalled)(
  'hvac makes, rotates and reads keys, encrypts, rewraps, decrypts, and is told what is wrong',
  async () => {
    const { api } = await makeTenant(stack);
    const env = { ...process.env, VAULT_ADDR: stack.baseUrl, VAULT_TOKEN: api.token };
    const { stdout } = await promisify(execFile)('python3', [PROGRAM], { env });
    expect(stdout).toBe('done\n');
  },
);
