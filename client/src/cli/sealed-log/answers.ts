import type { Entry } from '../../../../shared/transparency/entry.ts';
import type { Seal } from '../../../../shared/transparency/seal.ts';
import { AUDIT_FIELDS } from '../../api/generated.ts';
import { EXIT, Failure } from '../failure.ts';
import { rowOf } from '../row.ts';

/** Returns the event exactly as the service sent it. Throws a {@link Failure} if it has a member that is not known. */
export function entryOf(event: object): Entry {
  const entry = rowOf(event);
  if (typeof entry.id !== 'string' || typeof entry.ts !== 'string') throw invalidAnswer('an invalid audit event');
  const unknown = Object.keys(entry).filter((name) => !AUDIT_FIELDS.some((field) => field === name));
  if (unknown.length === 0) return entry;
  const words = `this version of esk does not know ${unknown.join(', ')} in audit events, so it must be upgraded`;
  throw new Failure(EXIT.local, 'upgrade_needed', words);
}

/** Returns the seal in an answer. Throws a {@link Failure} if it is malformed. */
export function sealOf(answer: object): Seal {
  const { index, from, until, first_entry, entries, size, root, checkpoint } = rowOf(answer);
  const numbers = [index, first_entry, entries, size].filter((one) => Number.isSafeInteger(one)).map(Number);
  const texts = [from, until, root, checkpoint].filter((one) => typeof one === 'string');
  if (numbers.length < 4 || texts.length < 4) throw invalidAnswer('an invalid seal');
  return {
    index: Number(index),
    from: String(from),
    until: String(until),
    first_entry: Number(first_entry),
    entries: Number(entries),
    size: Number(size),
    root: String(root),
    checkpoint: String(checkpoint),
  };
}

function invalidAnswer(what: string): Failure {
  return new Failure(EXIT.unreachable, 'invalid_answer', `the service returned ${what}`);
}
