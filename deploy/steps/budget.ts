import type { Deployment } from '../deployment.ts';
import { gcloud, type Step } from '../step.ts';

export const BUDGET = 'Encryption service';

/**
 * Returns a step that creates the budget. At half and at all of the amount, and if the forecast exceeds it, Google tells
 * the billing administrators and the address of the alerts. A budget stops nothing.
 */
export function createBudget({ project, budget }: Deployment): Step[] {
  if (budget === undefined) return [];
  const account = `--billing-account=${budget.billingAccount}`;
  const amount = `--budget-amount=${budget.monthlyAmount}`;
  return [
    {
      what: 'budget',
      find: gcloud(
        'billing',
        'budgets',
        'list',
        account,
        `--filter=displayName="${BUDGET} ${project}"`,
        '--format=value(name)',
      ),
      create: gcloud(
        ...['billing', 'budgets', 'create', account, `--display-name=${BUDGET} ${project}`, amount],
        ...[`--filter-projects=projects/${project}`, '--calendar-period=month'],
        ...['--threshold-rule=percent=0.5', '--threshold-rule=percent=1.0'],
        '--threshold-rule=percent=1.0,basis=forecasted-spend',
        '--notifications-rule-monitoring-notification-channels=$CHANNEL',
      ),
      update: gcloud(...['billing', 'budgets', 'update', '$FOUND', amount]),
    },
  ];
}
