import { z } from 'zod';

const cloudEntry = z.looseObject({ jsonPayload: z.unknown() });

/**
 * Parses the output of `gcloud logging read --format=json`, or the service's own output, one JSON object per line.
 * Ignores other lines of that output. Throws an `Error` for malformed JSON or if there is no entry.
 */
export function readLogEntries(text: string): unknown[] {
  return parseEntries(text).map((entry) => cloudEntry.safeParse(entry).data?.jsonPayload ?? entry);
}

function parseEntries(text: string): unknown[] {
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
