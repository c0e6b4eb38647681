import { z } from 'zod';
import { configName, gatewayConfigs } from '../../gateway.ts';
import { accountEmail, BALANCER, GATEWAY } from '../../names.ts';
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

const certificates = z.array(
  z.object({
    name: z.string(),
    managed: z.object({ status: z.string().optional(), domains: z.array(z.string()).default([]) }).optional(),
  }),
);
const backends = z.array(
  z.object({
    name: z.string(),
    loadBalancingScheme: z.string().optional(),
    customRequestHeaders: z.array(z.string()).default([]),
    backends: z.array(z.object({ group: z.string() })).default([]),
  }),
);
const addresses = z.array(z.object({ name: z.string(), address: z.string().optional() }));
const groups = z.array(
  z.object({
    name: z.string(),
    networkEndpointType: z.string().optional(),
    serverlessDeployment: z.object({ platform: z.string().optional(), resource: z.string().optional() }).optional(),
  }),
);
const maps = z.array(
  z.object({ name: z.string(), defaultService: z.string().optional(), hostRules: z.array(z.unknown()).default([]) }),
);
const proxies = z.array(
  z.object({
    name: z.string(),
    urlMap: z.string().optional(),
    sslCertificates: z.array(z.string()).default([]),
  }),
);
const rules = z.array(
  z.object({
    name: z.string(),
    target: z.string().optional(),
    portRange: z.string().optional(),
    IPAddress: z.string().optional(),
    loadBalancingScheme: z.string().optional(),
  }),
);

/** The load balancer of the domain. Never reads or shows the secret, only whether the balancer sends one. */
export function compareBalancer({ deployment: { apiOrigin }, ask, isEnabled }: Context): Comparison {
  if (apiOrigin === undefined) return { expected: [], found: [] };
  const list = <Found extends { name: string }>(output: z.ZodType<Found[]>, ...part: string[]) =>
    (isEnabled('compute') ? ask(gcloud(...part, 'list'), output) : []).filter(({ name }) => name === BALANCER);
  const reserved = list(addresses, 'compute', 'addresses');
  return {
    expected: [
      resource('address of the balancer'),
      resource('gateway behind the balancer', {
        type: 'SERVERLESS',
        platform: 'apigateway.googleapis.com',
        gateway: GATEWAY,
      }),
      resource('backend service with the secret header', {
        scheme: 'EXTERNAL_MANAGED',
        headers: 'X-Balancer-Secret',
        group: BALANCER,
      }),
      resource('certificate of the domain', { status: 'ACTIVE', domains: new URL(apiOrigin).host }),
      resource('URL map', { service: BALANCER, hostRules: 0 }),
      resource('HTTPS proxy', { urlMap: BALANCER, certificates: BALANCER }),
      resource('forwarding rule', {
        ...{ target: BALANCER, ports: '443-443', scheme: 'EXTERNAL_MANAGED' },
        address: reserved[0]?.address,
      }),
    ],
    found: [
      ...reserved.map(() => resource('address of the balancer')),
      ...list(groups, 'beta', 'compute', 'network-endpoint-groups').map((one) =>
        resource('gateway behind the balancer', {
          type: one.networkEndpointType,
          platform: one.serverlessDeployment?.platform,
          gateway: one.serverlessDeployment?.resource,
        }),
      ),
      ...list(backends, 'compute', 'backend-services').map((one) =>
        resource('backend service with the secret header', {
          scheme: one.loadBalancingScheme,
          headers: one.customRequestHeaders.map((header) => header.split(':')[0]).join(' '),
          group: one.backends.map(({ group }) => lastPart(group)).join(' '),
        }),
      ),
      ...list(certificates, 'compute', 'ssl-certificates').map(({ managed }) =>
        resource('certificate of the domain', { status: managed?.status, domains: managed?.domains.join(' ') }),
      ),
      ...list(maps, 'compute', 'url-maps').map(({ defaultService, hostRules }) =>
        resource('URL map', { service: lastPart(defaultService ?? ''), hostRules: hostRules.length }),
      ),
      ...list(proxies, 'compute', 'target-https-proxies').map(({ urlMap, sslCertificates }) =>
        resource('HTTPS proxy', {
          urlMap: lastPart(urlMap ?? ''),
          certificates: sslCertificates.map(lastPart).join(' '),
        }),
      ),
      ...list(rules, 'compute', 'forwarding-rules').map(({ target, portRange, IPAddress, loadBalancingScheme }) =>
        resource('forwarding rule', {
          target: lastPart(target ?? ''),
          ports: portRange,
          scheme: loadBalancingScheme,
          address: IPAddress,
        }),
      ),
    ],
  };
}
