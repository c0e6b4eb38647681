import { afterAll, beforeAll, vi } from 'vitest';
import { setCollecting } from './collecting.ts';
import { endChildrenWithThisProcess } from './end-children.ts';
import { forgetRows } from './forget-rows.ts';
import { removeTemporaryFolders } from './temporary-folder.ts';

endChildrenWithThisProcess();

setCollecting(true);
beforeAll(() => setCollecting(false));

// The next test file in the same process starts with the original environment and time, and without the audit rows of
// this file, which would slow its queries.
afterAll(async () => {
  await forgetRows();
  removeTemporaryFolders();
  vi.unstubAllEnvs();
  vi.useRealTimers();
});
