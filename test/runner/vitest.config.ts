import { defineConfig } from 'vitest/config';
import { watchdog } from '../support/watchdog.ts';

/** What `runner.long.test.ts` runs: test files that go wrong. */
export default defineConfig({
  plugins: [watchdog(Number(process.env.SILENCE_MS))],
  test: { include: ['test/runner/*.ts'], isolate: false, testTimeout: 1_000 },
});
