import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type State, stateSchema } from './objects.ts';

/** An account's state, and what saves it. */
export interface Store {
  readonly state: State;
  /** Saves the state, if it has changed since the last call. Throws what the file system throws. */
  save(): void;
}

/** Reads the state from a JSON file; without one it is only in memory. Throws when the file does not hold a state. */
export function openStore(file: string | undefined): Store {
  if (file === undefined) return { state: emptyState(), save: () => undefined };
  let written = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const state = written === '' ? emptyState() : readState(file, written);
  return {
    state,
    save() {
      const text = JSON.stringify(state);
      if (text === written) return;
      // A rename is atomic: after a crash the file holds the old state or the new one.
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
    throw new Error(`${file} is not a state file of the Stripe emulator`, { cause });
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
