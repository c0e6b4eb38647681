import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, inject, test } from 'vitest';
import { ROOT } from '../../../test/sources.ts';
import { removeTemporaryFolders } from '../../../test/support/temporary-folder.ts';
import { makeTenant } from '../../../test/support/tenant.ts';
import { signIn } from './signed-in-folder.ts';

const stack = inject('stack');
const readme = readFileSync(join(ROOT, 'client/README.md'), 'utf8');
afterAll(removeTemporaryFolders);

/** Returns the README's first code block after the heading. */
function blockOf(heading: string, language: string): string {
  const [, section = ''] = readme.split(new RegExp(`^##+ ${heading}$`, 'm'));
  return new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(section)?.[1] ?? 'false';
}

test('the program “Many small values” in the README runs after the commands that set up `esk`', async () => {
  const { subject } = await makeTenant(stack);
  const { cwd, env } = await signIn(stack.baseUrl, subject);
  const setUp = blockOf('esk: the command line', 'sh').replace(/^esk login .*$/m, 'true');
  const program = blockOf('Many small values', 'js');
  const library = JSON.stringify(join(ROOT, 'client/src/index.ts'));
  writeFileSync(join(cwd, 'column.mjs'), program.replace("'encryption-service-client'", library));
  const script = `${setUp.replaceAll('http://127.0.0.1:8080', stack.baseUrl)}
node --disable-warning=ExperimentalWarning column.mjs`;
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', script], { cwd, env });
  expect(stdout).toMatch(/Ada flu\nGrace measles\n$/);
  expect(readFileSync(join(cwd, 'clinic.db'), 'latin1')).not.toContain('measles');
});
