import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { reportUnsaved } from '../base/start-error.ts';
import { type State, stateSchema } from './objects.ts';

export interface Store {
  readonly state: State;
  /** Saves the state if it has changed. Reports the first of several failures. The next save tries again. */
  save(): void;
}

/** Opens a store. Without a file, the state is only in memory. Throws if the file is not a valid state file. */
export function openStore(file: string | undefined): Store {
  if (file === undefined) return { state: emptyState(), save: () => undefined };
  let written = existsSync(file) ? readFileSync(file, 'utf8') : '';
  let hasFailed = false;
  const state = written === '' ? emptyState() : readState(file, written);
  return {
    state,
    save() {
      const text = JSON.stringify(state);
      if (text === written) return;
      // Rename the new file over the old one. This is atomic, so after a crash, the file has either the old or the new
      // state.
      const temporary = `${file}.tmp`;
      try {
        writeFileSync(temporary, text);
        renameSync(temporary, file);
        written = text;
        hasFailed = false;
      } catch (error) {
        if (!hasFailed) reportUnsaved(file, error);
        hasFailed = true;
      }
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
    deleted_customers: [],
    subscriptions: [],
    invoices: [],
    invoice_items: [],
    checkout_sessions: [],
    portal_sessions: [],
    events: [],
    idempotent_answers: [],
  };
}
