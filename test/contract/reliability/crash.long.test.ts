import { expect, test } from 'vitest';
import { endUnderLoad } from '../../reliability/crash-run.ts';
import { ownBesetService } from '../../reliability/own-beset-service.ts';
import { holdKills } from '../../reliability/rules.ts';

const beset = ownBesetService();
const WAYS = ['well', 'slow', 'failing'] as const;

holdKills(beset, WAYS, 3);

test.each(WAYS)(
  'a process that is asked to end, Firestore %s, answers whatever was sent before, and cuts no answer',
  { timeout: 120_000 },
  async (firestore) => {
    const { flaws, endings } = await endUnderLoad(beset.service, { signal: 'SIGTERM', rounds: 3, firestore });
    expect(flaws).toEqual([]);
    expect(endings['200']).toBeGreaterThan(100);
  },
);
