import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { portsOf } from '../../../emulators/stack/ports.ts';
import { ROOT } from '../../sources.ts';

const run = promisify(execFile);

/** No timer fires. The client takes the timers that are there when it is loaded, so this is the program of a process. */
const PROGRAM = `
  globalThis.setTimeout = () => ({ ref() {}, unref() {} });
  const { PromptFirestore } = await import('${join(ROOT, 'shared/store/prompt-firestore.ts')}');
  const db = new PromptFirestore({ projectId: 'demo-encryption' });
  process.stdout.write(String((await db.doc('promptReads/none').get()).exists));
  process.exit();
`;

test('a read waits for no timer before it is sent', async () => {
  const FIRESTORE_EMULATOR_HOST = `127.0.0.1:${portsOf(inject('stack')).firestore}`;
  const env = { ...process.env, FIRESTORE_EMULATOR_HOST };
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', PROGRAM], { env, timeout: 30_000 });
  expect(stdout).toBe('false');
});
