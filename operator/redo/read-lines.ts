import { z } from 'zod';
import { REDO_EVENTS, type RedoLine, redoLine } from '../../shared/tenancy/redo-log.ts';
import { readLogEntries } from '../log-entries.ts';

const named = z.looseObject({ message: z.string() });

/**
 * Returns the redo lines in a log, and ignores other lines. Throws an `Error` that names the malformed fields of a redo
 * line.
 */
export function readRedoLines(text: string): RedoLine[] {
  return readLogEntries(text).flatMap((entry, at) => {
    const { data } = named.safeParse(entry);
    if (data === undefined || !REDO_EVENTS.includes(data.message)) return [];
    const line = redoLine.safeParse(entry);
    if (line.success) return line.data;
    const fields = line.error.issues.map(({ path }) => path.join('.'));
    throw new Error(`entry ${at + 1}, ${data.message}: malformed ${fields.join(', ')}`);
  });
}
