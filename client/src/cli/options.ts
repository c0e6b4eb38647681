import { Option } from 'commander';

/** `--json`, for programs. */
export function jsonOption(what = "Print the API's response as JSON"): Option {
  return new Option('--json', what);
}

/** `--csv`, for spreadsheets. */
export function csvOption(): Option {
  return new Option('--csv', 'Print CSV (RFC 4180)').conflicts('json');
}

/** `--container`, which tells things of one name apart. */
export function containerOption(what = 'Container in which to look up the name'): Option {
  return new Option('--container <container>', `${what}: ID or name`);
}

/** `--context`, which is bound to a file. */
export function contextOption(): Option {
  return new Option('--context <text>', 'Text to bind to the file; decryption and rewrapping need the same text');
}

/** The parts of a list that is given with commas, once or several times. */
export function commaList(text: string, before: readonly string[] = []): string[] {
  const parts = text.split(',').map((part) => part.trim());
  return [...before, ...parts.filter((part) => part !== '')];
}

/** The bytes of a context; none for the empty text, as the API has it. */
export function contextBytes(text: string | undefined): { readonly context?: Uint8Array } {
  return text ? { context: new TextEncoder().encode(text) } : {};
}
