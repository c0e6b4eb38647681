/*
 * Builds the executables of `esk`, and what is installed with them: npm run build:esk [-- PLATFORM…]
 *
 *   dist/esk/
 *     esk-<platform>     esk; called by the name age-plugin-esk, it is the plugin
 *     SHA256SUMS         of the executables
 *     man/               the man pages
 *     completion/        esk for bash, _esk for zsh, esk.fish
 *
 * Runs on Linux x64. Fetches the Node of other platforms from npm's registry, once.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { completionScript, SHELLS } from '../src/cli/completion/shells.ts';
import { makeProgram } from '../src/cli/program.ts';
import { bundlePrograms, makeExecutable } from './make-executable.ts';
import { writeManPages } from './man-pages.ts';
import { isPlatform, PLATFORMS } from './platforms.ts';

const DIST = join(import.meta.dirname, '../../dist/esk');
const COMPLETIONS = join(DIST, 'completion');
/** Where shells look for a script, they look for these names. */
const COMPLETION_FILES = { bash: 'esk', zsh: '_esk', fish: 'esk.fish' } as const;

const asked = process.argv.slice(2);
const platforms = asked.length > 0 ? asked : Object.keys(PLATFORMS);

rmSync(DIST, { recursive: true, force: true });
mkdirSync(COMPLETIONS, { recursive: true });
writeManPages(join(DIST, 'man'));
for (const shell of SHELLS) {
  writeFileSync(join(COMPLETIONS, COMPLETION_FILES[shell]), completionScript(makeProgram(), shell));
}
const bundle = await bundlePrograms();
const sums = platforms.map((platform) => {
  if (!isPlatform(platform)) throw new Error(`unknown platform ${platform}; use ${Object.keys(PLATFORMS).join(', ')}`);
  const file = `esk-${platform}`;
  makeExecutable(platform, bundle, join(DIST, file));
  return `${createHash('sha256')
    .update(readFileSync(join(DIST, file)))
    .digest('hex')}  ${file}\n`;
});
writeFileSync(join(DIST, 'SHA256SUMS'), sums.join(''));
