import { invalidArgument, unimplemented } from './kms-error.ts';
import type { CryptoKeyVersion } from './model.ts';

/** Every state of the API, also those that no version of the emulator is ever in. */
const STATES = [
  'PENDING_GENERATION',
  'ENABLED',
  'DISABLED',
  'DESTROYED',
  'DESTROY_SCHEDULED',
  'PENDING_IMPORT',
  'IMPORT_FAILED',
  'GENERATION_FAILED',
  'PENDING_EXTERNAL_DESTRUCTION',
  'EXTERNAL_DESTRUCTION_FAILED',
];

/** `state=ENABLED`, with blanks around the operator or without, the value quoted or not. */
const TERM = /^state\s*=\s*("?)(\w+)\1$/;

/**
 * Parses the filter of a list of versions into a predicate of states: terms joined with OR; an empty filter passes all.
 * Throws INVALID_ARGUMENT for an unknown state, UNIMPLEMENTED for anything else of the filter language.
 */
export function parseStateFilter(filter: string): (state: CryptoKeyVersion['state']) => boolean {
  if (filter === '') return () => true;
  const asked = filter.trim().split(/\s+OR\s+/);
  const states = asked.map((term) => {
    const state = TERM.exec(term)?.[2];
    if (state === undefined) throw unimplemented(`the filter "${filter}"`);
    if (!STATES.includes(state)) throw invalidArgument(`Invalid value in field filter: "${filter}".`);
    return state;
  });
  return (state) => states.includes(state);
}
