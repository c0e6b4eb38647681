import type { Deployment } from '../deployment.ts';
import { GATEWAY_DOCUMENT, gatewayConfig } from '../gateway-config.ts';
import { accountEmail, GATEWAY } from '../names.ts';
import { gcloud, type Step } from '../step.ts';

/** The gateway. As configurations are immutable, each document gets its own, named by its content. */
export function createGateway(deployment: Deployment): Step[] {
  const { name } = gatewayConfig(deployment);
  const api = `--api=${GATEWAY}`;
  const at = `--location=${deployment.region}`;
  return [
    {
      what: 'gateway API',
      find: gcloud('api-gateway', 'apis', 'describe', GATEWAY, '--format=value(name)'),
      create: gcloud('api-gateway', 'apis', 'create', GATEWAY),
    },
    {
      what: 'gateway configuration',
      find: gcloud('api-gateway', 'api-configs', 'describe', name, api, '--format=value(name)'),
      create: gcloud(
        ...['api-gateway', 'api-configs', 'create', name, api, `--openapi-spec=${GATEWAY_DOCUMENT}`],
        `--backend-auth-service-account=${accountEmail(deployment, 'gateway')}`,
      ),
    },
    {
      what: 'gateway',
      keep: 'GATEWAY_HOST',
      find: gcloud('api-gateway', 'gateways', 'describe', GATEWAY, at, '--format=value(defaultHostname)'),
      create: gcloud('api-gateway', 'gateways', 'create', GATEWAY, api, `--api-config=${name}`, at),
      update: gcloud('api-gateway', 'gateways', 'update', GATEWAY, api, `--api-config=${name}`, at),
    },
  ];
}
