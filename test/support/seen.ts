import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { isExact } from '../../functions/router.ts';

/** The folder that a run of the contract tests keeps what was answered in; unset where nothing is kept. */
export const SEEN_DIR = 'ANSWERS_SEEN';

const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/gi;
/** A key's name in the path of a Transit route. */
const NAME = /^(\/v1\/transit\/(?:encrypt|decrypt|rewrap|keys|datakey\/\w+)\/)[^/]+/;
const noted = new Set<string>();

/** The error code in a body, of the service's own form or of Vault's; `null` without one. */
export function codeOf(body: unknown): string | null {
  const { error, errors } = Object(body);
  if (typeof error === 'string') return error;
  return Array.isArray(errors) ? String(errors[0]).replace(/:.*/s, '') : null;
}

/** One line of what was seen. */
export type Seen =
  | { readonly kind: 'service'; readonly origin: string; readonly configured: 'unknown' | readonly string[] }
  | {
      readonly kind: 'answer';
      readonly origin: string;
      readonly method: string;
      /** The path as sent, ids as `{id}`. */
      readonly path: string;
      readonly status: number;
      /** The error code, `null` where the body has none. */
      readonly code: string | null;
    };

/** Notes where a service of the tests is, and its configuration, if known. */
export function noteService(baseUrl: string, configured: 'unknown' | readonly string[]): void {
  note({ kind: 'service', origin: new URL(baseUrl).origin, configured });
}

/** Notes an answer, once of each kind. */
export function noteAnswer(
  baseUrl: string,
  method: string,
  target: string,
  answer: { readonly status: number; readonly body: unknown },
): void {
  const [path = ''] = target.split('?');
  note({
    kind: 'answer',
    origin: new URL(baseUrl).origin,
    method,
    path: (isExact(path) ? path.replace(NAME, '$1{name}') : path).replaceAll(UUID, '{id}'),
    status: answer.status,
    code: codeOf(answer.body),
  });
}

function note(seen: Seen): void {
  const dir = process.env[SEEN_DIR];
  if (dir === undefined) return;
  const line = JSON.stringify(seen);
  if (noted.has(line)) return;
  noted.add(line);
  appendFileSync(join(dir, String(process.pid)), `${line}\n`);
}
