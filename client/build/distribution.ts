import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { completionScript, SHELLS } from '../src/cli/completion/shells.ts';
import { makeProgram } from '../src/cli/program.ts';
import { bundlePrograms, makeExecutable } from './make-executable.ts';
import { writeManPages } from './man-pages.ts';
import type { Platform } from './platforms.ts';

/** The file names under which shells look for a completion script. */
const COMPLETION_FILES = { bash: 'esk', zsh: '_esk', fish: 'esk.fish' } as const;

/** Writes the platforms' executables with checksums, the man pages and the completion scripts into a folder. */
export async function buildDistribution(folder: string, platforms: readonly Platform[]): Promise<void> {
  const completion = join(folder, 'completion');
  mkdirSync(completion, { recursive: true });
  for (const shell of SHELLS) {
    writeFileSync(join(completion, COMPLETION_FILES[shell]), completionScript(makeProgram(), shell));
  }
  writeManPages(join(folder, 'man'));
  const bundle = await bundlePrograms();
  const sums = platforms.map((platform) => {
    const name = `esk-${platform}`;
    makeExecutable(platform, bundle, join(folder, name));
    return `${createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex')}  ${name}\n`;
  });
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
}
