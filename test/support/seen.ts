import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isExact } from '../../functions/router.ts';

/**
 * The environment variable with the folder in which a contract test run records answers. If the variable is unset,
 * nothing is recorded.
 */
export const SEEN_DIR = 'ANSWERS_SEEN';

const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/gi;
/** Matches a key's name in the path of a Transit route. */
const NAME = /^(\/v1\/transit\/(?:encrypt|decrypt|rewrap|keys|datakey\/\w+)\/)[^/]+/;
const noted = new Set<string>();

/** Returns the error code in a body in the service's or Vault's format, or `null` if the body has no error code. */
export function codeOf(body: unknown): string | null {
  const { error, errors } = Object(body);
  if (typeof error === 'string') return error;
  return Array.isArray(errors) ? String(errors[0]).replace(/:.*/s, '') : null;
}

/** A line of the recording: a service, an answer, or an event in an answer. */
export type Seen =
  | { readonly kind: 'service'; readonly origin: string; readonly configured: 'unknown' | readonly string[] }
  | {
      readonly kind: 'answer';
      readonly origin: string;
      readonly method: string;
      /** The path of the request, with ids as `{id}`. */
      readonly path: string;
      readonly status: number;
      /** The error code; `null` if the body has none. */
      readonly code: string | null;
    }
  | { readonly kind: 'event'; readonly operation: string; readonly code: string | null };

const auditEvent = z.object({ operation: z.string(), error_code: z.string().nullable() });

/** Records the address of a service, and its configuration if it is known. */
export function noteService(baseUrl: string, configured: 'unknown' | readonly string[]): void {
  note({ kind: 'service', origin: new URL(baseUrl).origin, configured });
}

/** Records an answer and its events, unless the same route has already given this status and error code. */
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
  for (const one of Array.isArray(answer.body) ? answer.body : []) {
    const { data } = auditEvent.safeParse(one);
    if (data !== undefined) note({ kind: 'event', operation: data.operation, code: data.error_code });
  }
}

function note(seen: Seen): void {
  const dir = process.env[SEEN_DIR];
  if (dir === undefined) return;
  const line = JSON.stringify(seen);
  if (noted.has(line)) return;
  noted.add(line);
  appendFileSync(join(dir, String(process.pid)), `${line}\n`);
}
