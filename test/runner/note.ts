import { renameSync, writeFileSync } from 'node:fs';
import { endChildrenWithThisProcess } from '../support/end-children.ts';

// The setup file `leave-nothing.ts` does this for all other test files, but loads more slowly.
endChildrenWithThisProcess();

/** Tells the test that runs this file which processes must end. */
export function note(...ids: readonly (number | undefined)[]): void {
  const file = process.env.NOTED ?? '';
  writeFileSync(`${file}.new`, JSON.stringify(ids));
  renameSync(`${file}.new`, file);
}
