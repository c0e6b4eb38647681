import type { Deployment } from '../deployment.ts';
import { ALERTS } from '../monitoring/alerts.ts';
import { METRICS } from '../monitoring/metrics.ts';
import { gcloud, named, type Step } from '../step.ts';

/** This alert is optional, because tenants are allowed to weaken their own protection, and some do so every day. */
const WEAKENED = 'weakened';
/** What gcloud calls our metrics and alerts. */
export const METRIC = 'encryption/';
export const ALERT = 'encryption: ';

/** The name of the channel that the alerts notify. Someone else may have a channel with the same address. */
export const CHANNEL = 'Encryption service';

/** The uptime check of the gateway's own address, and the one of the domain. */
export const GATEWAY_CHECK = 'encryption-health';
export const DOMAIN_CHECK = 'encryption-health-domain';

/**
 * Returns a step for each log-based metric, which creates it. Metrics come before alerts, because an alert can only
 * refer to an existing metric.
 */
export function createMetrics(): Step[] {
  return Object.keys(METRICS).map((own) => {
    const name = `${METRIC}${own}`;
    const config = `--config-from-file=${fileOf(own)}`;
    return {
      what: `metric ${name}`,
      find: gcloud('logging', 'metrics', 'list', named(name), '--format=value(name)'),
      create: gcloud('logging', 'metrics', 'create', name, config),
      update: gcloud('logging', 'metrics', 'update', name, config),
    };
  });
}

export function createAlerts(deployment: Deployment): Step[] {
  const { project, alertEmail, apiOrigin } = deployment;
  const uptimeCheck = uptimeCheckOf(deployment);
  const host = apiOrigin === undefined ? '$GATEWAY_HOST' : new URL(apiOrigin).host;
  return [
    {
      what: 'notification channel for alerts',
      keep: 'CHANNEL',
      find: gcloud(
        ...['beta', 'monitoring', 'channels', 'list', '--format=value(name)'],
        `--filter=type="email" AND labels.email_address="${alertEmail}" AND displayName="${CHANNEL}"`,
      ),
      create: gcloud(
        ...['beta', 'monitoring', 'channels', 'create', `--display-name=${CHANNEL}`, '--type=email'],
        `--channel-labels=email_address=${alertEmail}`,
      ),
    },
    {
      what: 'uptime check of /health',
      find: gcloud(
        ...['monitoring', 'uptime', 'list-configs', '--format=value(name)'],
        `--filter=displayName="${uptimeCheck}"`,
      ),
      create: gcloud(
        ...['monitoring', 'uptime', 'create', uptimeCheck, '--resource-type=uptime-url'],
        `--resource-labels=host=${host},project_id=${project}`,
        ...['--protocol=https', '--path=/health', '--period=1', '--timeout=10'],
      ),
    },
    ...alertPolicies(deployment).map(({ displayName: name }) => {
      const policy = `--policy-from-file=${fileOf(name)}`;
      return {
        what: `alert ${name}`,
        find: gcloud(
          'alpha',
          'monitoring',
          'policies',
          'list',
          `--filter=displayName="${name}"`,
          '--format=value(name)',
        ),
        create: gcloud(...['alpha', 'monitoring', 'policies', 'create', policy], '--notification-channels=$CHANNEL'),
        update: gcloud(
          ...['alpha', 'monitoring', 'policies', 'update', '$FOUND', policy],
          '--set-notification-channels=$CHANNEL',
        ),
        patient: true as const,
      };
    }),
  ];
}

export function uptimeCheckOf({ apiOrigin }: Deployment): string {
  return apiOrigin === undefined ? GATEWAY_CHECK : DOMAIN_CHECK;
}

/**
 * Returns the policies of the alerts that this deployment has. If the deployment publishes the documentation, they link
 * to its pages. Otherwise, they name these by their paths in the repository.
 */
export function alertPolicies({
  weakeningAlert,
  docs,
  consoleOrigin,
}: Pick<Deployment, 'weakeningAlert' | 'docs' | 'consoleOrigin'>) {
  return Object.entries(ALERTS).flatMap(([name, { text, conditions, notificationRateLimit }]) => {
    if (name === WEAKENED && !weakeningAlert) return [];
    const ours = `${text} Runbook: \`docs/runbook.md#${name}\` in the repository.`;
    const page = /`docs\/([\w-]+)\.md(#[\w-]+)?`(?: in the repository)?/g;
    const isPublished = docs && consoleOrigin !== undefined;
    const content = isPublished ? ours.replaceAll(page, `${consoleOrigin}/docs/$1.html$2`) : ours;
    return {
      displayName: `${ALERT}${name}`,
      documentation: { mimeType: 'text/markdown', content },
      combiner: 'OR',
      conditions,
      alertStrategy: { autoClose: '86400s', ...(notificationRateLimit && { notificationRateLimit }) },
    };
  });
}

/** The files from which gcloud reads the metrics and alerts, each with its text. */
export function monitoringFiles(deployment: Deployment): { file: string; text: string }[] {
  return [
    ...Object.entries(METRICS).map(([name, metric]) => ({ file: fileOf(name), text: JSON.stringify(metric) })),
    ...alertPolicies(deployment).map((policy) => ({ file: fileOf(policy.displayName), text: JSON.stringify(policy) })),
  ];
}

function fileOf(name: string): string {
  return `dist/monitoring/${name.replace(ALERT, 'alert-')}.json`;
}
