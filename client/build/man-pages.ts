import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePluginProgram } from '../src/cli/age-plugin-program.ts';
import { makeProgram } from '../src/cli/program.ts';
import { manPage } from './man-page.ts';

/** Writes the man pages of both programs into a folder. Creates the folder if necessary. */
export function writeManPages(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const program of [makeProgram(), makePluginProgram()]) {
    writeFileSync(join(folder, `${program.name()}.1`), manPage(program));
  }
}
