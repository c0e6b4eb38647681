import { z } from 'zod';
import { BALANCER } from '../../names.ts';
import { gcloud } from '../../step.ts';
import { type Comparison, type Context, lastPart, type Resource, resource } from '../resource.ts';

const named = z.array(z.object({ name: z.string() }));
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
const rules = z.array(z.object({ name: z.string(), target: z.string().optional(), portRange: z.string().optional() }));

/** The load balancer of the domain. Never reads or shows the secret, only whether the balancer sends one. */
export function compareBalancer({ deployment: { apiOrigin }, ask, isEnabled }: Context): Comparison {
  if (apiOrigin === undefined) return { expected: [], found: [] };
  const list = <Found extends { name: string }>(part: string, output: z.ZodType<Found[]>) =>
    (isEnabled('compute') ? ask(gcloud('compute', part, 'list'), output) : []).filter(({ name }) => name === BALANCER);
  const plain = (what: string, part: string): Resource[] => list(part, named).map(() => resource(what));
  return {
    expected: [
      resource('address of the balancer'),
      resource('gateway behind the balancer'),
      resource('backend service with the secret header', {
        scheme: 'EXTERNAL_MANAGED',
        headers: 'X-Balancer-Secret',
        group: BALANCER,
      }),
      resource('certificate of the domain', { status: 'ACTIVE', domains: new URL(apiOrigin).host }),
      resource('URL map'),
      resource('HTTPS proxy'),
      resource('forwarding rule', { target: BALANCER, ports: '443-443' }),
    ],
    found: [
      ...plain('address of the balancer', 'addresses'),
      ...plain('gateway behind the balancer', 'network-endpoint-groups'),
      ...list('backend-services', backends).map((one) =>
        resource('backend service with the secret header', {
          scheme: one.loadBalancingScheme,
          headers: one.customRequestHeaders.map((header) => header.split(':')[0]).join(' '),
          group: one.backends.map(({ group }) => lastPart(group)).join(' '),
        }),
      ),
      ...list('ssl-certificates', certificates).map(({ managed }) =>
        resource('certificate of the domain', { status: managed?.status, domains: managed?.domains.join(' ') }),
      ),
      ...plain('URL map', 'url-maps'),
      ...plain('HTTPS proxy', 'target-https-proxies'),
      ...list('forwarding-rules', rules).map(({ target, portRange }) =>
        resource('forwarding rule', { target: lastPart(target ?? ''), ports: portRange }),
      ),
    ],
  };
}
