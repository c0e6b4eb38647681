import { expect } from 'vitest';
import { z } from 'zod';
import { checkLog } from '../support/sealed-log.ts';
import { MINUTE_MS } from '../support/steer.ts';
import { makeTenant, signIn } from '../support/tenant.ts';
import type { Process } from './process-pair.ts';
import { combinations, type Race } from './race.ts';

const summary = z.strictObject({ sealed: z.int(), entries: z.int(), failed: z.int() });
const OUTCOMES = ['sealed', 'nothing to seal'];

/** The number of unsealed rows when a round begins. */
const ROWS = 3;

async function seal(process: Process): Promise<string> {
  const { sealed, failed } = summary.parse(await process.run('seal-audit'));
  return failed > 0 ? `${failed} failed` : sealed > 0 ? 'sealed' : 'nothing to seal';
}

export const sealingRaces: readonly Race[] = [
  {
    name: 'two simultaneous runs of seal-audit seal each row of a log once',
    sequential: true,
    allowed: combinations(OUTCOMES, OUTCOMES).filter((combination) => combination.includes('sealed')),
    setUp: async ({ stackProcess, secondProcess }) => {
      // This time is later than the clocks of all other races, so that no other log has rows to seal.
      let now = Date.UTC(2040, 0, 1);
      const setClocks = async () => {
        now += 3 * MINUTE_MS;
        for (const process of [secondProcess, stackProcess]) await process.setClock(new Date(now).toISOString());
      };
      await setClocks();
      const tenant = await makeTenant(secondProcess);
      const key = await tenant.createKey('wrapped');
      // The log begins with the rows about the creation of the API key and of the key.
      let entries = 2;
      return async () => {
        for (let n = 0; n < ROWS; n++) await tenant.api.send('POST', `/v1/keys/${key}/wrap`, {});
        entries += ROWS;
        await setClocks();
        const check = async () => {
          const session = await signIn(secondProcess, tenant.subject);
          expect(await checkLog(session)).toEqual({ findings: [], entries });
        };
        return { requests: [() => seal(stackProcess), () => seal(secondProcess)], check };
      };
    },
  },
];
