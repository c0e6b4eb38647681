import { expect, test } from 'vitest';
import { endUnderLoad } from '../../reliability/crash.ts';
import { ownProxiedService } from '../../reliability/own-proxied-service.ts';

const faulty = ownProxiedService();
const FIRESTORE_STATES = ['healthy', 'slow', 'failing'] as const;

test.each(FIRESTORE_STATES)(
  'a process killed under load loses no acknowledged operation and counts only operations that were sent (state of Firestore: %s)',
  async (firestore) => {
    const kill = { signal: 'SIGKILL', rounds: 3, firestore } as const;
    const { flaws, endings } = await endUnderLoad(faulty.service, kill);
    expect(flaws).toEqual([]);
    expect(endings['200']).toBeGreaterThan(10);
    // Proves that requests were in flight when the process was killed.
    expect(endings.unanswered).toBeGreaterThan(0);
  },
);

test.each(FIRESTORE_STATES)(
  'a process stopped under load answers every request that it has received, without truncated answers (state of Firestore: %s)',
  async (firestore) => {
    const { flaws, endings } = await endUnderLoad(faulty.service, { signal: 'SIGTERM', rounds: 3, firestore });
    expect(flaws).toEqual([]);
    expect(endings['200']).toBeGreaterThan(10);
  },
);
