import { z } from 'zod';
import { REDO_EVENTS, type RedoLine, redoLine } from '../../shared/tenancy/redo-log.ts';

const cloudEntry = z.looseObject({ jsonPayload: z.looseObject({}) });
const named = z.looseObject({ message: z.string() });

/**
 * Returns the redo lines of a log: an array of entries as `gcloud logging read --format=json` prints it, or the service's own
 * output, one JSON object per line. Everything else in it is ignored. Throws an `Error` that says what is malformed.
 */
export function readRedoLines(text: string): RedoLine[] {
  return entriesOf(text).flatMap((entry, at) => {
    const cloud = cloudEntry.safeParse(entry);
    const payload = cloud.success ? cloud.data.jsonPayload : entry;
    const { data } = named.safeParse(payload);
    if (data === undefined || !REDO_EVENTS.includes(data.message)) return [];
    const line = redoLine.safeParse(payload);
    if (line.success) return line.data;
    const fields = line.error.issues.map(({ path }) => path.join('.'));
    throw new Error(`entry ${at + 1}, ${data.message}: malformed ${fields.join(', ')}`);
  });
}

function entriesOf(text: string): unknown[] {
  if (text.trimStart().startsWith('[')) return z.array(z.unknown()).parse(parseJson(text, 'the array'));
  const lines = text.split('\n').flatMap((line, at) => {
    return line.startsWith('{') ? [parseJson(line, `line ${at + 1}`)] : [];
  });
  if (lines.length === 0) throw new Error('neither a JSON array nor lines of JSON objects');
  return lines;
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${what} is not JSON`);
  }
}
