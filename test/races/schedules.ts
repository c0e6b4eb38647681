import { expect } from 'vitest';
import { z } from 'zod';
import { amountsOf, invoicesOf, statementOf } from '../support/billing.ts';
import { checkLog } from '../support/sealed-log.ts';
import { MINUTE_MS } from '../support/steer.ts';
import { makeTenant, signIn } from '../support/tenant.ts';
import type { Process, ProcessPair } from './process-pair.ts';
import { combinations, type Race } from './race.ts';

const summary = z.strictObject({ closed: z.int(), failed: z.int() });
const CLOSED = 'closed';
const NOTHING = 'nothing to close';

/** Returns 00:20 on the first of a month, when Stripe’s draft invoice is still open. Month 0 is October 2026. */
const startOf = (month: number) => new Date(Date.UTC(2026, 9 + month, 1, 0, 20)).toISOString();

async function close(process: Process): Promise<string> {
  const { closed, failed } = summary.parse(await process.run('close-month'));
  return failed > 0 ? `${failed} failed` : closed > 0 ? CLOSED : NOTHING;
}

async function setClocks({ stackProcess, secondProcess }: ProcessPair, now: string): Promise<void> {
  // Moving the clock of `stackProcess` makes Stripe send events, which may reach `secondProcess`. So `secondProcess`
  // gets the new time first.
  await secondProcess.setClock(now);
  await stackProcess.setClock(now);
}

const sealing = z.strictObject({ sealed: z.int(), entries: z.int(), failed: z.int() });
const OUTCOMES = ['sealed', 'nothing to seal'];

/** The number of unsealed rows when a round begins. */
const ROWS = 3;

async function seal(process: Process): Promise<string> {
  const { sealed, failed } = sealing.parse(await process.run('seal-audit'));
  return failed > 0 ? `${failed} failed` : sealed > 0 ? 'sealed' : 'nothing to seal';
}

export const scheduleRaces: readonly Race[] = [
  {
    name: 'two simultaneous runs of close-month bill a month once',
    sequential: true,
    allowed: [`${CLOSED} | ${CLOSED}`, `${CLOSED} | ${NOTHING}`, `${NOTHING} | ${CLOSED}`],
    setUp: async (pair) => {
      const { stackProcess, secondProcess } = pair;
      let month = 0;
      await setClocks(pair, startOf(month));
      const tenant = await makeTenant(secondProcess);
      for (const tier of ['wrapped', 'software'] as const) await tenant.createKey(tier);
      return async () => {
        const period = startOf(month).slice(0, 7);
        await setClocks(pair, startOf(++month));
        const check = async () => {
          expect([await close(stackProcess), await close(secondProcess)]).toEqual([NOTHING, NOTHING]);
          const billed = (await invoicesOf(secondProcess, tenant.id)).filter((invoice) => invoice.period === period);
          const amounts = { byTier: { wrapped: 300, software: 1000 }, total: 1300 };
          expect(billed.map(amountsOf)).toEqual([amounts]);
          const statement = await statementOf(await signIn(secondProcess, tenant.subject), period);
          expect([statement.lines.length, statement.total_cents]).toEqual([2, '1300']);
        };
        return { requests: [() => close(stackProcess), () => close(secondProcess)], check };
      };
    },
  },
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
