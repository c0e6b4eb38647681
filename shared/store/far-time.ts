import { Timestamp } from '@google-cloud/firestore';
import { z } from 'zod';

/** A time in UTC with microseconds, in RFC 3339. Texts of this form are in the order of time. */
export const timeText = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/);

/** A Firestore timestamp as text, for times that may be after the year 2255, the last that an `Instant` can express. */
export const farTimeField = z.codec(z.instanceof(Timestamp), timeText, {
  decode: ({ seconds, nanoseconds }) => viewTime(seconds * 1000, Math.floor(nanoseconds / 1000)),
  encode: (text) => new Timestamp(Date.parse(`${text.slice(0, 19)}Z`) / 1000, Number(text.slice(20, 26)) * 1000),
});

/** Returns the time that is `micros` microseconds after `ms` milliseconds since 1970. */
export function viewTime(ms: number, micros: number): string {
  const whole = new Date(ms + Math.floor(micros / 1000)).toISOString();
  return whole.replace('Z', `${String(micros % 1000).padStart(3, '0')}Z`);
}
