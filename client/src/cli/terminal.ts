import { createInterface } from 'node:readline/promises';
import { oneLine } from '../visible-text.ts';

export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Asks on standard error. Returns the typed line, or an empty text at the end of input. */
export async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  terminal.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    return await Promise.race([terminal.question(question), ended]);
  } finally {
    terminal.close();
  }
}

export function tell(line: string): void {
  process.stderr.write(`${oneLine(line)}\n`);
}

/** Returns the text in bold if standard output is a terminal that allows it (https://no-color.org). */
export function heading(text: string): string {
  const isPlain = !process.stdout.isTTY || process.env.NO_COLOR || process.env.TERM === 'dumb';
  return isPlain ? text : `\u001b[1m${text}\u001b[22m`;
}
