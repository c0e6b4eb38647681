import '../../functions/local/other-deadlines.ts';
import { takeCoverage } from 'node:v8';
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
  // Vitest ends its processes with a signal, after which Node would write no coverage.
  if (process.env.NODE_V8_COVERAGE) takeCoverage();
  await forgetRows();
  removeTemporaryFolders();
  vi.unstubAllEnvs();
  vi.useRealTimers();
});
