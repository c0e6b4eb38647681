import { defineConfig } from 'vitest/config';

/** The tests that mutation testing runs: those of `shared/` and of report queries, except long tests. */
export default defineConfig({
  test: {
    include: ['test/shared/**/*.test.ts', 'test/functions/reports/*.test.ts'],
    exclude: ['**/*.long.test.ts'],
  },
});
