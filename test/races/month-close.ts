import { expect } from 'vitest';
import { z } from 'zod';
import { amountsOf, invoicesOf, statementOf } from '../support/billing.ts';
import { makeTenant, signIn } from '../support/tenant.ts';
import type { Field, Process } from './field.ts';
import type { Race } from './race.ts';

const summary = z.strictObject({ closed: z.int(), failed: z.int() });
const CLOSED = 'closed';
const NOTHING = 'nothing to close';

/** Returns the time 20 minutes after the start of a month, counted from October 2026. Stripe’s draft is open then. */
const beginning = (month: number) => new Date(Date.UTC(2026, 9 + month, 1, 0, 20)).toISOString();

async function close(process: Process): Promise<string> {
  const { closed, failed } = summary.parse(await process.run('close-month'));
  return failed > 0 ? `${failed} failed` : closed > 0 ? CLOSED : NOTHING;
}

async function setClocks({ here, there }: Field, now: string): Promise<void> {
  // Moving the clock of `here` makes Stripe send events, which may reach `there`. So `there` gets the new time first.
  await there.setClock(now);
  await here.setClock(now);
}

export const monthCloseRaces: readonly Race[] = [
  {
    name: 'two simultaneous runs of close-month bill a month once',
    alone: true,
    allowed: [`${CLOSED} | ${CLOSED}`, `${CLOSED} | ${NOTHING}`, `${NOTHING} | ${CLOSED}`],
    open: async (field) => {
      const { here, there } = field;
      let month = 0;
      await setClocks(field, beginning(month));
      const tenant = await makeTenant(there);
      for (const tier of ['wrapped', 'software'] as const) await tenant.createKey(tier);
      return async () => {
        const period = beginning(month).slice(0, 7);
        await setClocks(field, beginning(++month));
        const check = async () => {
          expect([await close(here), await close(there)]).toEqual([NOTHING, NOTHING]);
          const billed = (await invoicesOf(there, tenant.id)).filter((invoice) => invoice.period === period);
          const amounts = { byTier: { wrapped: 300, software: 1000 }, total: 1300 };
          expect(billed.map(amountsOf)).toEqual([amounts]);
          const statement = await statementOf(await signIn(there, tenant.subject), period);
          expect([statement.lines.length, statement.total_cents]).toEqual([2, '1300']);
        };
        return { contenders: [() => close(here), () => close(there)], check };
      };
    },
  },
];
