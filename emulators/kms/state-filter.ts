import { invalidArgument, unimplemented } from './kms-error.ts';
import type { CryptoKeyVersion } from './model.ts';

/** All states in the API, including states that the emulator never uses. */
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

/** Matches a term such as `state=ENABLED`. Spaces around the operator and quotes around the value are optional. */
const TERM = /^state\s*=\s*("?)(\w+)\1$/;

/**
 * Returns a function that says whether a state passes the filter. An empty filter accepts all states. Throws
 * INVALID_ARGUMENT for an unknown state, and UNIMPLEMENTED for filters that are not about states.
 */
export function parseStateFilter(filter: string): (state: CryptoKeyVersion['state']) => boolean {
  if (filter === '') return () => true;
  const terms = filter.trim().split(/\s+OR\s+/);
  const states = terms.map((term) => {
    const state = TERM.exec(term)?.[2];
    if (state === undefined) throw unimplemented(`the filter "${filter}"`);
    if (!STATES.includes(state)) throw invalidArgument(`Invalid value in field filter: "${filter}".`);
    return state;
  });
  return (state) => states.includes(state);
}
