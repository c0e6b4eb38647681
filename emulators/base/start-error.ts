/**
 * Thrown if the stack cannot start for a reason that the user can fix. Its message is printed without a stack trace.
 */
export class StartError extends Error {
  override name = 'StartError';
}

/** Reports that a file could not be saved, for example because the disk is full. */
export function reportUnsaved(file: string, error: unknown): void {
  process.stderr.write(
    `Nothing can be saved to ${file} (${error instanceof Error ? error.message : error}). The stack goes on, but loses what it cannot save when it stops.\n`,
  );
}
