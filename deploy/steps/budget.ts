import type { Deployment } from '../deployment.ts';
import { gcloud, type Step } from '../step.ts';

export const BUDGET = 'Encryption service';

const THRESHOLDS = ['percent=0.5', 'percent=1.0', 'percent=1.0,basis=forecasted-spend'];

/**
 * Returns a step that creates the budget. At half and at all of the amount, and if the forecast exceeds it, Google tells
 * the billing administrators and the address of the alerts. A budget stops nothing.
 */
export function createBudget({ project, budget }: Deployment): Step[] {
  if (budget === undefined) return [];
  const account = `--billing-account=${budget.billingAccount}`;
  const settings = [
    `--budget-amount=${budget.monthlyAmount}`,
    ...[`--filter-projects=projects/${project}`, '--calendar-period=month'],
    '--notifications-rule-monitoring-notification-channels=$CHANNEL',
  ];
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
        ...['billing', 'budgets', 'create', account, `--display-name=${BUDGET} ${project}`, ...settings],
        ...THRESHOLDS.map((rule) => `--threshold-rule=${rule}`),
      ),
      update: gcloud(
        ...['billing', 'budgets', 'update', '$FOUND', ...settings, '--clear-threshold-rules'],
        ...THRESHOLDS.map((rule) => `--add-threshold-rule=${rule}`),
      ),
    },
  ];
}
