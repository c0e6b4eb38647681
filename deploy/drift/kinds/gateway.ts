import { z } from 'zod';
import { configName, gatewayConfigs } from '../../gateway-config.ts';
import { accountEmail, GATEWAY } from '../../names.ts';
import { gcloud } from '../../step.ts';
import { type Comparison, type Context, flatten, lastPart, resource } from '../resource.ts';

const named = z.array(z.object({ name: z.string() }));
const gateways = z.array(
  z.object({
    name: z.string(),
    apiConfig: z.string(),
    defaultHostname: z.string().optional(),
    labels: z.record(z.string(), z.string()).default({}),
  }),
);
const config = z.object({
  gatewayServiceAccount: z.string().optional(),
  openapiDocuments: z.array(z.object({ document: z.object({ contents: z.string() }) })).default([]),
});

/** Returns the gateway's own address, and whether the gateway is closed, as its label says. */
export function readGateway({
  deployment: { region },
  ask,
  isEnabled,
}: Pick<Context, 'deployment' | 'ask' | 'isEnabled'>) {
  const found = isEnabled('apigateway')
    ? ask(gcloud('api-gateway', 'gateways', 'list', `--location=${region}`), gateways)
    : [];
  const gateway = found.find(({ name }) => lastPart(name) === GATEWAY);
  return { closed: gateway?.labels.closed === 'true', gatewayHost: gateway?.defaultHostname };
}

/** The gateway, and the document of each configuration: someone could have replaced it under the same name. */
export function compareGateway({ deployment, ask, closed, isEnabled }: Context): Comparison {
  const on = isEnabled('apigateway');
  const api = `--api=${GATEWAY}`;
  const apis = (on ? ask(gcloud('api-gateway', 'apis', 'list'), named) : []).filter(
    ({ name }) => lastPart(name) === GATEWAY,
  );
  const wanted = gatewayConfigs(deployment);
  const configs = (apis.length > 0 ? ask(gcloud('api-gateway', 'api-configs', 'list', api), named) : [])
    .map(({ name }) => lastPart(name))
    // Configurations of earlier releases stay.
    .filter((name) => wanted.some((one) => one.name === name));
  const found = on ? ask(gcloud('api-gateway', 'gateways', 'list', `--location=${deployment.region}`), gateways) : [];
  return {
    expected: [
      resource('gateway API'),
      ...wanted.map(({ name, text }) =>
        resource(`gateway configuration ${name}`, {
          account: accountEmail(deployment, 'gateway'),
          ...flatten(JSON.parse(text)),
        }),
      ),
      resource('gateway', { configuration: configName(deployment, closed ? 'true' : 'false'), closed }),
    ],
    found: [
      ...apis.map(() => resource('gateway API')),
      ...configs.map((name) => {
        const { gatewayServiceAccount, openapiDocuments } = ask(
          gcloud('api-gateway', 'api-configs', 'describe', name, api, '--view=FULL'),
          config,
        );
        const contents = Buffer.from(openapiDocuments[0]?.document.contents ?? '', 'base64').toString();
        return resource(`gateway configuration ${name}`, {
          account: lastPart(gatewayServiceAccount ?? ''),
          ...flatten(contents === '' ? {} : JSON.parse(contents)),
        });
      }),
      ...found.map(({ name, apiConfig, labels }) =>
        resource(lastPart(name) === GATEWAY ? 'gateway' : `gateway ${lastPart(name)}`, {
          configuration: lastPart(apiConfig),
          closed: labels.closed,
        }),
      ),
    ],
  };
}
