import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { findPythonWithHvac } from '../../support/programs.ts';
import { makeTenant } from '../../support/tenant.ts';

const python = findPythonWithHvac();
const PROGRAM = fileURLToPath(new URL('with_hvac.py', import.meta.url));
const stack = inject('stack');

test.skipIf(python === undefined)(
  'hvac creates, rotates and reads keys, encrypts, rewraps and decrypts, and reports the errors of the service',
  async () => {
    const { api } = await makeTenant(stack);
    const env = { ...process.env, VAULT_ADDR: stack.baseUrl, VAULT_TOKEN: api.token };
    const { stdout } = await promisify(execFile)(python ?? '', [PROGRAM], { env });
    expect(stdout).toBe('done\n');
  },
);
