import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type BesetService, besetService } from '../reliability/beset-service.ts';
import { endUnderLoad } from '../reliability/crash-run.ts';
import { ownStack } from '../support/own-stack.ts';

const stack = ownStack();
const timeout = 120_000;

let service: BesetService;
beforeAll(async () => {
  service = await besetService(stack);
});
beforeEach(() => service.start());
afterEach(() => service.end('SIGTERM'));
afterAll(() => service.stop());

describe.each(['well', 'slow', 'failing'] as const)('with Firestore %s', (firestore) => {
  test('a process killed under load loses nothing that it acknowledged, and counts nothing that was not attempted', {
    timeout,
  }, async () => {
    const { flaws, acknowledged, endings } = await endUnderLoad(service, { signal: 'SIGKILL', rounds: 3, firestore });
    expect(flaws).toEqual([]);
    expect(acknowledged).toBeGreaterThan(100);
    // The load was there when the process was killed.
    expect(endings.unanswered).toBeGreaterThan(0);
  });

  test('a process that is asked to end answers whatever was sent before, and cuts no answer', { timeout }, async () => {
    const { flaws, endings } = await endUnderLoad(service, { signal: 'SIGTERM', rounds: 3, firestore });
    expect(flaws).toEqual([]);
    expect(endings['200']).toBeGreaterThan(100);
  });
});
