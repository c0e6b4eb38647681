import { invalidArgument, unimplemented } from './kms-error.ts';
import type { CryptoKeyVersion } from './model.ts';

/** The states that the API has, those included that the emulator never has a version in. */
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
 * Which states a filter of a list of versions passes: all where it is empty, else those of its terms, with OR between.
 * Throws INVALID_ARGUMENT for a state that there is not, UNIMPLEMENTED for whatever else the filter language can say.
 */
export const parseStateFilter = (filter: string): ((state: CryptoKeyVersion['state']) => boolean) => {
  if (filter === '') return () => true;
  const asked = filter.trim().split(/\s+OR\s+/);
  const states = asked.map((term) => {
    const state = TERM.exec(term)?.[2];
    if (state === undefined) throw unimplemented(`the filter "${filter}"`);
    if (!STATES.includes(state)) throw invalidArgument(`Invalid value in field filter: "${filter}".`);
    return state;
  });
  return (state) => states.includes(state);
};
