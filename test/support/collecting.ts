let collecting = false;

/** Says whether Vitest is now collecting the tests of a file. */
export function setCollecting(now: boolean): void {
  collecting = now;
}

/**
 * Throws an `Error` while tests are collected. Only tests and hooks may send requests: `vitest list` needs no stack,
 * and each failure belongs to a test.
 */
export function refuseWhileCollecting(): void {
  if (collecting)
    throw new Error('no request may be sent while tests are collected; send it in beforeAll or in a test');
}
