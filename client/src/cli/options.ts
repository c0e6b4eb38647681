import { InvalidArgumentError, Option } from 'commander';
import { Timestamp } from '../api/timestamp.ts';

export function jsonOption(what = "Print the API's response as JSON"): Option {
  return new Option('--json', what);
}

export function csvOption(): Option {
  return new Option('--csv', 'Print CSV (RFC 4180)').conflicts('json');
}

export function containerOption(what = 'Container in which to look up the name'): Option {
  return new Option('--container <container>', `${what}: ID or name`);
}

export function contextOption(): Option {
  return new Option('--context <text>', 'Text to bind to the file; decryption and rewrapping need the same text');
}

/** Splits a comma-separated list. If the option is repeated, appends to the earlier values. Throws for an empty list. */
export function commaList(text: string, before: readonly string[] = []): string[] {
  const parts = text.split(',').map((part) => part.trim());
  const values = parts.filter((part) => part !== '');
  // A variable of the shell that is not set must not remove all values.
  if (values.length === 0) throw new InvalidArgumentError('The list is empty.');
  return [...before, ...values];
}

/** Returns the context as bytes. An empty text means no context, as in the API. */
export function contextBytes(text: string | undefined): { readonly context?: Uint8Array } {
  return text ? { context: new TextEncoder().encode(text) } : {};
}

/** Parses a time and keeps its microseconds. Throws if the text is malformed. */
export function parseTime(text: string): Date {
  try {
    return new Timestamp(text);
  } catch {
    throw new InvalidArgumentError('Use a time such as 2026-11-01T00:00:00Z.');
  }
}
