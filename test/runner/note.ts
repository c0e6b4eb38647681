import { renameSync, writeFileSync } from 'node:fs';
import { endChildrenWithThisProcess } from '../support/end-children.ts';

// As `leave-nothing.ts` does for all other test files, in less time.
endChildrenWithThisProcess();

/** Tells the test that runs this one which processes must be gone. */
export function note(...ids: readonly (number | undefined)[]): void {
  const file = process.env.NOTED ?? '';
  writeFileSync(`${file}.new`, JSON.stringify(ids));
  renameSync(`${file}.new`, file);
}
