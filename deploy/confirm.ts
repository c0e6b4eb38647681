import { createInterface } from 'node:readline/promises';

/**
 * Asks a question, and returns whether the answer is exactly `expected`. Without input, such as in a pipeline, the
 * answer is no.
 */
export async function confirm(question: string, expected: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
    return (await Promise.race([terminal.question(question), closed])).trim() === expected;
  } finally {
    terminal.close();
  }
}
