import { defineConfig } from 'vitest/config';

/** What mutants are run against: the tests of `shared/` and of the queries of reports, except the long ones. */
export default defineConfig({
  test: {
    include: ['test/shared/**/*.test.ts', 'test/functions/reports/*.test.ts'],
    exclude: ['**/*.long.test.ts'],
  },
});
