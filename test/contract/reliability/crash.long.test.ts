import { expect, test } from 'vitest';
import { endUnderLoad } from '../../reliability/crash-run.ts';
import { ownBesetService } from '../../reliability/own-beset-service.ts';

const beset = ownBesetService();
/** How Firestore does while processes end. */
const WAYS = ['well', 'slow', 'failing'] as const;
const timeout = 120_000;

test.each(WAYS)(
  'a process killed under load, Firestore %s, loses nothing that it acknowledged, and counts nothing that was not attempted',
  { timeout },
  async (firestore) => {
    const kill = { signal: 'SIGKILL', rounds: 3, firestore } as const;
    const { flaws, acknowledged, endings } = await endUnderLoad(beset.service, kill);
    expect(flaws).toEqual([]);
    expect(acknowledged).toBeGreaterThan(100);
    // The load was there when the process was killed.
    expect(endings.unanswered).toBeGreaterThan(0);
  },
);

test.each(WAYS)(
  'a process that is asked to end, Firestore %s, answers whatever was sent before, and cuts no answer',
  { timeout },
  async (firestore) => {
    const { flaws, endings } = await endUnderLoad(beset.service, { signal: 'SIGTERM', rounds: 3, firestore });
    expect(flaws).toEqual([]);
    expect(endings['200']).toBeGreaterThan(100);
  },
);
