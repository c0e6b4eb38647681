import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { manPage } from '../../build/man-page.ts';
import { makePluginProgram } from '../../src/cli/age-plugin-program.ts';
import { wordsOf } from '../../src/cli/completion/words.ts';
import { makeProgram } from '../../src/cli/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);
const folder = temporaryFolder();
const hasMan = await run('man', ['--version']).then(
  () => true,
  () => false,
);

/** Returns the text that man shows for a page, without line breaks in paragraphs. */
async function rendered(page: string): Promise<string> {
  const file = join(folder.path, 'page.1');
  await writeFile(file, page);
  const env = { ...process.env, MANWIDTH: '1000', LC_ALL: 'C.UTF-8', MAN_KEEP_FORMATTING: '' };
  const { stdout, stderr } = await run('man', ['--warnings', '--local-file', file], { env });
  expect(stderr).toBe('');
  return stdout;
}

test('the man page of esk lists every command with all of its options', () => {
  const page = manPage(makeProgram()).replaceAll('\\-', '-');
  const sections = new Map(
    page.split(/^\.SS /m).map((section) => [/^esk ([a-z -]+?) *[[<\n]/.exec(section)?.[1], section]),
  );
  for (const [path, words] of wordsOf(makeProgram()).commands) {
    const section = path === '' ? page : (sections.get(path) ?? '');
    for (const { text } of words.filter((word) => word.text.startsWith('--') && word.text !== '--help')) {
      expect(section, `esk ${path} ${text}`).toMatch(new RegExp(`^\\.B .*${text}\\b`, 'm'));
    }
    if (path !== '') expect(section, `esk ${path}`).not.toBe('');
  }
  expect(page).toContain('\n.B -h, --help\n');
});

test.skipIf(!hasMan)('man shows the page of esk without a warning (skipped if man is missing)', async () => {
  const page = await rendered(manPage(makeProgram()));
  expect(page).toContain(`find archive -name "*.age" -exec esk rewrap {} +`);
  expect(page).toContain("Update encrypted files to their key's current version, in place");
  expect(page).toMatch(/^ENVIRONMENT\n +ESK_URL\n? +URL of the service$/m);
  expect(page).toMatch(/^EXIT STATUS\n(?:.*\n)+ +5 +Service or identity provider not reachable$/m);
});

test.skipIf(!hasMan)(
  'the man page of the age plugin contains the plugin’s identity and examples (skipped if man is missing)',
  async () => {
    const page = await rendered(manPage(makePluginProgram()));
    expect(page).toMatch(/^ +AGE-PLUGIN-ESK-1\w+$/m);
    expect(page).toContain('age -d -j esk -o notes.txt notes.age');
  },
);
