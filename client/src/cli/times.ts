import { InvalidArgumentError } from 'commander';
import { Timestamp } from '../api/timestamp.ts';

/** Parses a time and keeps its microseconds. Throws if the text is malformed. */
export function parseTime(text: string): Date {
  try {
    return new Timestamp(text);
  } catch {
    throw new InvalidArgumentError('Use a time such as 2026-11-01T00:00:00Z.');
  }
}
