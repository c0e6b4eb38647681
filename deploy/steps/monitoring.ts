import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Deployment } from '../deployment.ts';
import { gcloud, named, type Step } from '../step.ts';

const ROOT = join(import.meta.dirname, '../..');

/** This alert is optional, because tenants are allowed to weaken their own protection, and some do so every day. */
const WEAKENED = 'deploy/monitoring/alerts/weakened.json';

/** The uptime check of the gateway's own address, and the one of the domain. */
export const GATEWAY_CHECK = 'encryption-health';
export const DOMAIN_CHECK = 'encryption-health-domain';

/**
 * Returns a step for each file that creates a log-based metric. Metrics come before alerts, because an alert can only
 * refer to an existing metric.
 */
export function createMetrics(): Step[] {
  return metricFiles().map((file) => {
    const name = metricName(file);
    return {
      what: `metric ${name}`,
      find: gcloud('logging', 'metrics', 'list', named(name), '--format=value(name)'),
      create: gcloud('logging', 'metrics', 'create', name, `--config-from-file=${file}`),
      update: gcloud('logging', 'metrics', 'update', name, `--config-from-file=${file}`),
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
        `--filter=type="email" AND labels.email_address="${alertEmail}"`,
      ),
      create: gcloud(
        ...['beta', 'monitoring', 'channels', 'create', '--display-name=Encryption service', '--type=email'],
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
    ...alertFiles(deployment).map((file) => {
      const name = alertName(file);
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
        create: gcloud(
          ...['alpha', 'monitoring', 'policies', 'create', `--policy-from-file=${policyFile(file)}`],
          '--notification-channels=$CHANNEL',
        ),
        update: gcloud(
          ...['alpha', 'monitoring', 'policies', 'update', '$FOUND', `--policy-from-file=${policyFile(file)}`],
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

export function metricFiles(): string[] {
  return files('metrics');
}

export function metricName(file: string): string {
  return `encryption/${basename(file, '.json')}`;
}

/** Returns the files of the alerts that this deployment has. */
export function alertFiles({ weakeningAlert }: Deployment): string[] {
  return files('alerts').filter((file) => weakeningAlert || file !== WEAKENED);
}

/** The files from which gcloud reads the alerts, each with its text. */
export function alertPolicies(deployment: Deployment): { file: string; text: string }[] {
  return alertFiles(deployment).map((file) => ({ file: policyFile(file), text: alertPolicy(deployment, file) }));
}

/**
 * Returns the JSON of an alert. If the deployment publishes the documentation, the alert links to its pages. Otherwise,
 * it names them by their paths in the repository.
 */
export function alertPolicy({ docs, consoleOrigin }: Deployment, file: string): string {
  const text = readFileSync(join(ROOT, file), 'utf8');
  if (!docs || consoleOrigin === undefined) return text;
  return text.replaceAll(/`docs\/([\w-]+)\.md(#[\w-]+)?`(?: in the repository)?/g, `${consoleOrigin}/docs/$1.html$2`);
}

function policyFile(file: string): string {
  return join('dist/alerts', basename(file));
}

export function alertName(file: string): string {
  return `encryption: ${basename(file, '.json')}`;
}

/** Returns the files' paths, relative to the repository's root. */
function files(kind: 'metrics' | 'alerts'): string[] {
  return globSync(`deploy/monitoring/${kind}/*.json`, { cwd: ROOT }).sort();
}
