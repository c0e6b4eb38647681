import { InvalidArgumentError, Option } from 'commander';
import { Timestamp } from '../api/timestamp.ts';
import { wrongUsage } from './failure.ts';

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
  const what = 'Text to bind to the file; decryption and rewrapping need the same text';
  return new Option('--context <text>', what).argParser(parseContext);
}

/** Throws for a text that is not UTF-8: Node has replaced a part of it, so different texts would be the same context. */
function parseContext(text: string): string {
  if (text.includes('\ufffd')) throw new InvalidArgumentError('The text is not valid UTF-8.');
  return text;
}

/** Throws a {@link Failure} if a container is given without a key, as if it selected all keys of the container. */
export function refuseContainerAlone({ key, container }: { readonly key?: string; readonly container?: string }): void {
  if (container !== undefined && key === undefined) throw wrongUsage('--container also needs --key');
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
