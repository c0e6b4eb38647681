import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type State, stateSchema } from './objects.ts';

/** An account's state and the way to make its changes last. */
export interface Store {
  readonly state: State;
  /** Writes what has changed since the last call. Throws what the file system throws. */
  readonly save: () => void;
}

/** Opens the state in a JSON file, or in memory alone without one. Throws when the file holds something else. */
export function openStore(file: string | undefined): Store {
  if (file === undefined) return { state: emptyState(), save: () => undefined };
  let written = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const state = written === '' ? emptyState() : readState(file, written);
  return {
    state,
    save: () => {
      const text = JSON.stringify(state);
      if (text === written) return;
      // A rename is atomic: whoever reads after a crash finds the old state or the new one, never half of it.
      const temporary = `${file}.tmp`;
      writeFileSync(temporary, text);
      renameSync(temporary, file);
      written = text;
    },
  };
}

function readState(file: string, text: string): State {
  try {
    return stateSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(`${file} does not hold the state of the Stripe emulator`, { cause });
  }
}

function emptyState(): State {
  return {
    customers: [],
    subscriptions: [],
    invoices: [],
    invoice_items: [],
    checkout_sessions: [],
    portal_sessions: [],
    events: [],
    idempotent_answers: [],
  };
}
