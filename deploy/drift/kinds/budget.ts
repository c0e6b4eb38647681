import { z } from 'zod';
import { gcloud } from '../../step.ts';
import { BUDGET } from '../../steps/budget.ts';
import { type Comparison, type Context, resource } from '../resource.ts';
import { findChannel } from './monitoring.ts';

const budgets = z.array(
  z.object({
    displayName: z.string(),
    amount: z.object({ specifiedAmount: z.object({ units: z.string(), currencyCode: z.string() }).optional() }),
    thresholdRules: z.array(z.object({ thresholdPercent: z.number(), spendBasis: z.string().optional() })).default([]),
    budgetFilter: z
      .object({ projects: z.array(z.string()).default([]), calendarPeriod: z.string().optional() })
      .default({ projects: [] }),
    notificationsRule: z
      .object({ monitoringNotificationChannels: z.array(z.string()).default([]) })
      .default({ monitoringNotificationChannels: [] }),
  }),
);

export function compareBudget(context: Context): Comparison {
  const { deployment, ask, isEnabled } = context;
  const { project, projectNumber, budget, alertEmail } = deployment;
  if (budget === undefined) return { expected: [], found: [] };
  const list = gcloud('billing', 'budgets', 'list', `--billing-account=${budget.billingAccount}`);
  const found = (isEnabled('billingbudgets') ? ask(list, budgets) : []).filter(
    ({ displayName }) => displayName === `${BUDGET} ${project}`,
  );
  const channel = findChannel(context)?.name;
  const notified = `notified ${alertEmail}`;
  return {
    expected: [
      resource('budget', {
        amount: budget.monthlyAmount,
        thresholds: '0.5, 1, 1 of the forecast',
        projects: `projects/${projectNumber}`,
        period: 'MONTH',
        [notified]: true,
      }),
    ],
    found: found.map(({ amount: { specifiedAmount }, thresholdRules, budgetFilter, notificationsRule }) =>
      resource('budget', {
        amount: `${specifiedAmount?.units}${specifiedAmount?.currencyCode}`,
        thresholds: thresholdRules
          .map(
            ({ thresholdPercent, spendBasis }) =>
              `${thresholdPercent}${spendBasis === 'FORECASTED_SPEND' ? ' of the forecast' : ''}`,
          )
          .join(', '),
        // Google may answer with the project's ID or with its number.
        projects: budgetFilter.projects
          .map((one) => (one === `projects/${project}` ? `projects/${projectNumber}` : one))
          .join(' '),
        period: budgetFilter.calendarPeriod,
        [notified]: channel !== undefined && notificationsRule.monitoringNotificationChannels.includes(channel),
      }),
    ),
  };
}
