import { z } from 'zod';
import { gcloud } from '../../step.ts';
import { BUDGET } from '../../steps/budget.ts';
import { type Comparison, type Context, resource } from '../resource.ts';

const budgets = z.array(
  z.object({
    displayName: z.string(),
    amount: z.object({ specifiedAmount: z.object({ units: z.string(), currencyCode: z.string() }).optional() }),
    thresholdRules: z.array(z.object({ thresholdPercent: z.number() })).default([]),
  }),
);

export function compareBudget({ deployment: { project, budget }, ask, isEnabled }: Context): Comparison {
  if (budget === undefined) return { expected: [], found: [] };
  const list = gcloud('billing', 'budgets', 'list', `--billing-account=${budget.billingAccount}`);
  const found = (isEnabled('billingbudgets') ? ask(list, budgets) : []).filter(
    ({ displayName }) => displayName === `${BUDGET} ${project}`,
  );
  return {
    expected: [resource('budget', { amount: budget.monthlyAmount, thresholds: '0.5 1 1' })],
    found: found.map(({ amount: { specifiedAmount }, thresholdRules }) =>
      resource('budget', {
        amount: `${specifiedAmount?.units}${specifiedAmount?.currencyCode}`,
        thresholds: thresholdRules.map(({ thresholdPercent }) => thresholdPercent).join(' '),
      }),
    ),
  };
}
