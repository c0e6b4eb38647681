import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { emptyState, type State, stateSchema } from './state.ts';

/** An account's state and the way to make its changes last. */
export type Store = {
  readonly state: State;
  /** Writes what has changed since the last call; throws what the file system throws. */
  save(): void;
};

/** Opens the state in a JSON file, or in memory alone without one. Throws when the file is not such a state. */
export function openStore(file: string | undefined): Store {
  if (file === undefined) {
    return { state: emptyState(), save: () => {} };
  }
  let written = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const state = written === '' ? emptyState() : stateSchema.parse(JSON.parse(written));
  return {
    state,
    save: () => {
      const text = JSON.stringify(state);
      if (text === written) {
        return;
      }
      // A rename is atomic: whoever reads after a crash finds the old state or the new one, never half of it.
      const temporary = `${file}.${process.pid}.tmp`;
      writeFileSync(temporary, text);
      renameSync(temporary, file);
      written = text;
    },
  };
}
