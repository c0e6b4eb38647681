import { z } from 'zod';
import { BALANCER, GATEWAY } from '../../names.ts';
import { gcloud } from '../../step.ts';
import { type Comparison, type Context, lastPart, resource } from '../resource.ts';

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
