import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from '../src/api/generated.ts';
import { makePluginProgram } from '../src/cli/age-plugin-program.ts';
import { Command } from '../src/cli/command.ts';
import { makeProgram } from '../src/cli/program.ts';

/** Returns the man page of a program in the macros of man(7). It has the same text as `--help`. */
export function manPage(program: Command): string {
  const [what = ''] = program.description().split('.');
  const lines = [
    `.TH ${program.name().toUpperCase()} 1 "" "encryption service ${VERSION}" "User Commands"`,
    '.SH NAME',
    `${roff(program.name())} \\- ${roff(what)}`,
    '.SH SYNOPSIS',
    '.B',
    roff(usageOf(program)),
    ...titled('.SH DESCRIPTION', [roff(program.description())]),
    ...titled('.SH OPTIONS', optionsOf(program)),
    ...titled('.SH COMMANDS', program.commands.flatMap(commandOf)),
    ...titled('.SH EXAMPLES', examplesOf(program)),
    ...remarksOf(program, (title) => `.SH ${title.toUpperCase()}`),
  ];
  return `${lines.join('\n')}\n`;
}

type AnyCommand = Command['commands'][number];

/** Returns the sections of a command and its subcommands. */
function commandOf(command: AnyCommand): string[] {
  return [
    `.SS ${roff(usageOf(command))}`,
    roff(command.description()),
    ...argumentsOf(command),
    ...optionsOf(command).slice(0, -HELP_LINES),
    ...examplesOf(command),
    ...remarksOf(command, (title) => `.PP\n.B ${title}`),
    ...command.commands.flatMap(commandOf),
  ];
}

/** The number of lines of the option `--help`, the last option of every command. The page explains it only once. */
const HELP_LINES = 3;

function usageOf(command: AnyCommand): string {
  return command.createHelp().commandUsage(command);
}

function argumentsOf(command: AnyCommand): string[] {
  const help = command.createHelp();
  return help.visibleArguments(command).flatMap((one) => definition(one.name(), help.argumentDescription(one)));
}

function optionsOf(command: AnyCommand): string[] {
  const help = command.createHelp();
  return help.visibleOptions(command).flatMap((one) => definition(one.flags, help.optionDescription(one)));
}

function examplesOf(command: AnyCommand): string[] {
  if (!(command instanceof Command)) return [];
  return command.notes.examples.flatMap(([what, line]) => [
    '.PP',
    `${roff(what)}:`,
    ...['.PP', '.RS 4', '.nf', ...line.split('\n').map(roff), '.fi', '.RE'],
  ]);
}

/** Returns a command's remarks as paragraphs, and as lists under a title. */
function remarksOf(command: AnyCommand, heading: (title: string) => string): string[] {
  if (!(command instanceof Command) || command.notes.remarks === '') return [];
  return command.notes.remarks.split('\n\n').flatMap((paragraph) => {
    const lines = paragraph.split('\n').flatMap((line) => {
      const [, title] = /^(\S.*):$/.exec(line) ?? [];
      if (title !== undefined) return [heading(title)];
      const [, term, meaning] = /^ {2}(\S+) {2,}(\S.*)$/.exec(line) ?? [];
      return term !== undefined && meaning !== undefined ? definition(term, meaning) : [roff(line.trim())];
    });
    return ['.PP', ...lines];
  });
}

function titled(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines];
}

function definition(term: string, meaning: string): string[] {
  return ['.TP', `.B ${roff(term)}`, roff(meaning)];
}

/** Escapes the characters that roff would turn into macros or typographic signs (groff_char(7)). */
function roff(text: string): string {
  const signs: Readonly<Record<string, string>> = { '\\': '\\e', '-': '\\-', "'": '\\(aq', '`': '\\(ga', '^': '\\(ha' };
  return text.replace(/[\\\-'`^~]/g, (sign) => signs[sign] ?? '\\(ti').replace(/^\./, '\\&.');
}

/** Writes the man pages of both programs into a folder. Creates the folder if necessary. */
export function writeManPages(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const program of [makeProgram(), makePluginProgram()]) {
    writeFileSync(join(folder, `${program.name()}.1`), manPage(program));
  }
}
