import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { makeTenant } from '../../support/tenant.ts';

/** Whether hvac, a Python client for Vault, is installed (Debian package python3-hvac). */
const isInstalled = spawnSync('python3', ['-c', 'import hvac']).status === 0;
const PROGRAM = fileURLToPath(new URL('with_hvac.py', import.meta.url));
const stack = inject('stack');

test.skipIf(!isInstalled)(
  'hvac creates, rotates and reads keys, encrypts, rewraps and decrypts, and reports the errors of the service',
  async () => {
    const { api } = await makeTenant(stack);
    const env = { ...process.env, VAULT_ADDR: stack.baseUrl, VAULT_TOKEN: api.token };
    const { stdout } = await promisify(execFile)('python3', [PROGRAM], { env });
    expect(stdout).toBe('done\n');
  },
);
