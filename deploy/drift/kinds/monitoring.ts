import { z } from 'zod';
import { METRICS } from '../../monitoring/metrics.ts';
import { gcloud } from '../../step.ts';
import { BUDGET } from '../../steps/budget.ts';
import { ALERT, alertPolicies, CHANNEL, METRIC, uptimeCheckOf } from '../../steps/monitoring.ts';
import { type Comparison, type Context, flatten, resource } from '../resource.ts';

const metrics = z.array(z.looseObject({ name: z.string() }));
const channels = z.array(
  z.object({
    name: z.string(),
    displayName: z.string().optional(),
    type: z.string(),
    labels: z.record(z.string(), z.string()).default({}),
    enabled: z.boolean().optional(),
  }),
);
const checks = z.array(
  z.object({
    displayName: z.string(),
    period: z.string().optional(),
    timeout: z.string().optional(),
    monitoredResource: z.object({ labels: z.record(z.string(), z.string()).default({}) }).optional(),
    httpCheck: z.object({ path: z.string().optional(), useSsl: z.boolean().optional() }).optional(),
  }),
);
const policies = z.array(
  z.looseObject({
    displayName: z.string(),
    enabled: z.union([z.boolean(), z.object({ value: z.boolean() })]).optional(),
    notificationChannels: z.array(z.string()).default([]),
  }),
);

export function compareMetrics({ ask, isEnabled }: Context): Comparison {
  const found = isEnabled('logging') ? ask(gcloud('logging', 'metrics', 'list'), metrics) : [];
  return {
    expected: Object.entries(METRICS).map(([name, metric]) => resource(`metric ${METRIC}${name}`, flatten(metric))),
    found: found
      .filter(({ name }) => name.startsWith(METRIC))
      .map((one) => resource(`metric ${one.name}`, flatten(one))),
  };
}

/** Returns the deployment's own notification channel with the address for alerts, if there is one. */
function findChannel({ deployment, ask, isEnabled }: Context) {
  return (isEnabled('monitoring') ? ask(gcloud('beta', 'monitoring', 'channels', 'list'), channels) : []).find(
    ({ displayName, type, labels }) =>
      displayName === CHANNEL && type === 'email' && labels.email_address === deployment.alertEmail,
  );
}

/** The notification channel, the uptime check and the alerts. Each alert must be on, and must notify the channel. */
export function compareAlerts(context: Context): Comparison {
  const { deployment, ask, isEnabled, gatewayHost } = context;
  const on = isEnabled('monitoring');
  const channel = findChannel(context);
  const uptime = (on ? ask(gcloud('monitoring', 'uptime', 'list-configs'), checks) : []).filter(
    ({ displayName }) => displayName === uptimeCheckOf(deployment),
  );
  const found = (on ? ask(gcloud('alpha', 'monitoring', 'policies', 'list'), policies) : []).filter(({ displayName }) =>
    displayName.startsWith(ALERT),
  );
  const notified = `notified ${deployment.alertEmail}`;
  return {
    expected: [
      resource('notification channel for alerts', { enabled: true }),
      resource('uptime check of /health', {
        ...{ path: '/health', useSsl: true, period: '60s', timeout: '10s' },
        host: deployment.apiOrigin === undefined ? gatewayHost : new URL(deployment.apiOrigin).host,
      }),
      ...alertPolicies(deployment).map((policy) =>
        resource(`alert ${policy.displayName}`, {
          ...flatten(policy),
          ...{ enabled: true, [notified]: true },
        }),
      ),
    ],
    found: [
      ...(channel === undefined
        ? []
        : [resource('notification channel for alerts', { enabled: channel.enabled ?? true })]),
      ...uptime.map(({ httpCheck, period, timeout, monitoredResource }) =>
        resource('uptime check of /health', { ...httpCheck, period, timeout, host: monitoredResource?.labels.host }),
      ),
      ...found.map(({ enabled = true, ...policy }) =>
        resource(`alert ${policy.displayName}`, {
          ...flatten(policy),
          enabled: typeof enabled === 'boolean' ? enabled : enabled.value,
          [notified]: channel !== undefined && policy.notificationChannels.includes(channel.name),
        }),
      ),
    ],
  };
}

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
