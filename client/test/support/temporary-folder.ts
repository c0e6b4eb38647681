import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';

/** A new folder for each test of a file. */
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
