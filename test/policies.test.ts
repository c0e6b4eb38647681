import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { REPOSITORY_ROOT } from '../emulators/base/repository.ts';
import { cerbosBinary } from '../emulators/policy/server.ts';

const run = promisify(execFile);
const report = z.object({
  summary: z.object({
    testsCount: z.number(),
    resultCounts: z.array(z.object({ result: z.string(), count: z.number() })),
  }),
});

test('an API key may do exactly what its allowed_actions name', async () => {
  const { stdout } = await run(cerbosBinary(), ['compile', 'policies/resource_policies', '--test-output=json'], {
    cwd: REPOSITORY_ROOT,
    maxBuffer: 16_000_000,
  });
  const { summary } = report.parse(JSON.parse(stdout));
  expect(summary.testsCount).toBeGreaterThan(0);
  expect(summary.resultCounts).toEqual([{ result: 'RESULT_PASSED', count: summary.testsCount }]);
});
