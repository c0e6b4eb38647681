import { test } from 'vitest';

/**
 * Returns a function that adds a rule of an original service to its conformance table. `source` names the place in the
 * original's documentation that states the rule. Each rule is checked with what `open` returns.
 */
export const rulesOf =
  <Setting>(open: () => Promise<Setting>) =>
  (source: string, rule: string, check: (setting: Setting) => Promise<void>): void => {
    test(`${rule} (${source})`, async () => check(await open()));
  };
