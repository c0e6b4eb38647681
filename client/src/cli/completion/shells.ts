import type { Command } from 'commander';
import { bash } from './bash.ts';
import { fish } from './fish.ts';
import { wordsOf } from './words.ts';
import { zsh } from './zsh.ts';

const SCRIPTS = { bash, zsh, fish } as const;

export type Shell = keyof typeof SCRIPTS;

/** The shells that there is a completion script for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const satisfies readonly Shell[];

/** Returns the completion script of a program for a shell. */
export function completionScript(program: Command, shell: Shell): string {
  return SCRIPTS[shell](wordsOf(program));
}
