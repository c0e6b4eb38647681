import { Timestamp } from '../../api/timestamp.ts';
import type { AuditEvent } from '../../types.ts';
import { EXIT, Failure } from '../failure.ts';

/** A place in the order of a log: by time in microseconds since the epoch, then by id. */
export interface Place {
  readonly us: number;
  readonly id: string;
}

export function isAfter(one: Place, other: Place): boolean {
  return one.us === other.us ? one.id > other.id : one.us > other.us;
}

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3})(\d{3})Z$/;

/** Returns the microseconds of a time of the service, or `undefined` for other text. */
export function parseTime(text: string): number | undefined {
  const [, upToMs = '', us = ''] = TIME.exec(text) ?? [];
  const ms = Date.parse(`${upToMs}Z`);
  return Number.isNaN(ms) ? undefined : ms * 1000 + Number(us);
}

export function viewTime(us: number): Timestamp {
  const ofMs = us % 1000;
  return new Timestamp(new Date((us - ofMs) / 1000).toISOString().replace('Z', `${String(ofMs).padStart(3, '0')}Z`));
}

export function placeOf({ ts, id }: AuditEvent): Place {
  const us = parseTime(ts.toJSON());
  if (us === undefined) throw new Failure(EXIT.unreachable, 'invalid_answer', 'the service returned an invalid time');
  return { us, id };
}
