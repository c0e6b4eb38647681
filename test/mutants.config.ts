import { defineConfig } from 'vitest/config';

/** The tests that run against mutants: those of `shared/` and of the queries of reports, except the long ones. */
export default defineConfig({
  test: {
    include: ['test/shared/**/*.test.ts', 'test/functions/reports/*.test.ts'],
    exclude: ['**/*.long.test.ts'],
  },
});
