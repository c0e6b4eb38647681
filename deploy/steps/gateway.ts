import type { Deployment } from '../deployment.ts';
import { configName, gatewayConfigs } from '../gateway.ts';
import { accountEmail, GATEWAY } from '../names.ts';
import { type Change, gcloud, named, type Reading, type Step } from '../step.ts';

const api = `--api=${GATEWAY}`;

/**
 * Returns a step that reads from a label of the gateway whether the service is closed. `keep` is the script variable
 * for the result.
 */
export function readClosed({ region }: Deployment, keep: 'CLOSED_BEFORE' | 'CLOSED'): Reading {
  return {
    what: 'whether the service is closed',
    read: gcloud(
      ...['api-gateway', 'gateways', 'list', `--location=${region}`, named(GATEWAY)],
      '--format=value(labels.closed)',
    ),
    keep,
    otherwise: 'false',
    patient: true,
  };
}

/**
 * Returns the steps that create or update the gateway. The gateway stays open or closed, as it was. Configurations are
 * immutable, so a changed document needs a new configuration.
 */
export function createGateway(deployment: Deployment): Step[] {
  const at = `--location=${deployment.region}`;
  const settings = [GATEWAY, api, `--api-config=${configName(deployment, '$CLOSED')}`, at];
  return [
    {
      what: 'gateway API',
      find: gcloud('api-gateway', 'apis', 'list', named(GATEWAY), '--format=value(name)'),
      create: gcloud('api-gateway', 'apis', 'create', GATEWAY),
    },
    ...createConfigs(deployment),
    {
      what: 'gateway',
      keep: 'GATEWAY_HOST',
      find: gcloud('api-gateway', 'gateways', 'list', at, named(GATEWAY), '--format=value(defaultHostname)'),
      create: gcloud('api-gateway', 'gateways', 'create', ...settings, '--labels=closed=$CLOSED'),
      update: gcloud('api-gateway', 'gateways', 'update', ...settings, '--update-labels=closed=$CLOSED'),
    },
  ];
}

/**
 * Returns the steps that create both configurations, open and closed. So closing the service later does not have to
 * wait for a new configuration.
 */
export function createConfigs(deployment: Deployment): Change[] {
  return gatewayConfigs(deployment).map(({ name, file }) => ({
    what: `gateway configuration ${name}`,
    find: gcloud('api-gateway', 'api-configs', 'list', api, named(name), '--format=value(name)'),
    create: gcloud(
      ...['api-gateway', 'api-configs', 'create', name, api, `--openapi-spec=${file}`],
      `--backend-auth-service-account=${accountEmail(deployment, 'gateway')}`,
    ),
  }));
}

export function switchGateway(deployment: Deployment, closed: 'true' | 'false'): Change {
  return {
    what: closed === 'true' ? 'gateway closed' : 'gateway open',
    create: gcloud(
      ...['api-gateway', 'gateways', 'update', GATEWAY, api, `--api-config=${configName(deployment, closed)}`],
      ...[`--location=${deployment.region}`, `--update-labels=closed=${closed}`],
    ),
  };
}
