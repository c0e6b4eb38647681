import type { Command } from 'commander';
import { bash } from './bash.ts';
import { fish } from './fish.ts';
import { wordsOf } from './words.ts';
import { zsh } from './zsh.ts';

const SCRIPTS = { bash, zsh, fish } as const;

export type Shell = keyof typeof SCRIPTS;

export const SHELLS = ['bash', 'zsh', 'fish'] as const satisfies readonly Shell[];

export function completionScript(program: Command, shell: Shell): string {
  return SCRIPTS[shell](wordsOf(program));
}
