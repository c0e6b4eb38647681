import { expect } from 'vitest';
import { z } from 'zod';
import { amountsOf, invoicesOf, statementOf } from '../support/billing.ts';
import { makeTenant, signIn } from '../support/tenant.ts';
import type { Process, ProcessPair } from './process-pair.ts';
import type { Race } from './race.ts';

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

export const monthCloseRaces: readonly Race[] = [
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
];
