import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';

/** Creates a new folder before each test of the file that calls this function. */
export function temporaryFolder(): { readonly path: string } {
  let path = '';
  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), 'esk-test-'));
  });
  afterEach(() => rm(path, { recursive: true }));
  return {
    get path() {
      return path;
    },
  };
}
