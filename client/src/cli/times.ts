import { InvalidArgumentError } from 'commander';
import { Timestamp } from '../api/timestamp.ts';

/** A time as it is given on the command line, to the digit. Throws for what is none. */
export function parseTime(text: string): Date {
  try {
    return new Timestamp(text);
  } catch {
    throw new InvalidArgumentError('Use a time such as 2026-11-01T00:00:00Z.');
  }
}
