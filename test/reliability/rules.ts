import { expect, test } from 'vitest';
import { ROUTES } from '../support/route-table.ts';
import type { Kind, Part } from './beset-service.ts';
import { endUnderLoad } from './crash-run.ts';
import { CASES } from './expectations.ts';
import { goThrough } from './fault-run.ts';
import type { Beset } from './own-beset-service.ts';

const timeout = 120_000;

/** How Firestore does while processes end. */
type Firestore = Parameters<typeof endUnderLoad>[1]['firestore'];

/** Holds that nothing acknowledged is lost when the process is killed, in so many rounds for each way that Firestore does. */
export function holdKills(beset: Beset, ways: readonly Firestore[], rounds: number): void {
  test.each(ways)(
    'a process killed under load, Firestore %s, loses nothing that it acknowledged, and counts nothing that was not attempted',
    { timeout },
    async (firestore) => {
      const kill = { signal: 'SIGKILL', rounds, firestore } as const;
      const { flaws, acknowledged, endings } = await endUnderLoad(beset.service, kill);
      expect(flaws).toEqual([]);
      expect(acknowledged).toBeGreaterThan(rounds === 1 ? 0 : 100);
      // The load was there when the process was killed.
      expect(endings.unanswered).toBeGreaterThan(0);
    },
  );
}

/** Holds that every route is answered as it should be while a part is in such trouble, and afterwards. */
export function holdFaults(beset: Beset, faults: readonly (readonly [Part, Kind])[]): void {
  test.each(faults)(
    'with %s %s every route is answered as it should be, does things whole or not at all, and is well again by itself',
    { timeout },
    async (part, kind) => {
      const { ordeals } = await goThrough(beset.stack, beset.service, CASES, part, kind);
      const flawed = ordeals.filter(({ flaws }) => flaws.length > 0);
      expect(flawed.map(({ of, flaws }) => `${of.call} by ${of.by}: ${flaws.join(', ')}`)).toEqual([]);
      expect(ordeals).toHaveLength(CASES.length);
      expect([...new Set(ordeals.map(({ of }) => of.call))].sort()).toEqual(ROUTES.map(({ call }) => call).sort());
    },
  );
}
