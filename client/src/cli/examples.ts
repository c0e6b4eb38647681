/** Examples under a command's help: a line that says what it is for, then the command line. */
export function examples(...pairs: readonly (readonly [what: string, command: string])[]): string {
  const lines = pairs.map(([what, command]) => `  # ${what}\n  ${command.replaceAll('\n', '\n  ')}\n`);
  return `\nExamples:\n${lines.join('\n')}`;
}
