import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Addresses, list, send, text } from '../../support/client.ts';
import { type Client, makeTenant } from '../../support/tenant.ts';

/** A route to send things to. */
export interface Target {
  readonly method: string;
  /** With `{id}` where an id goes. */
  readonly path: string;
  /** The fields of its body; empty without a body. */
  readonly fields: readonly string[];
}

/** What the requests are made with. */
export interface Range {
  readonly stack: Addresses;
  readonly targets: readonly Target[];
  readonly api: Client;
  readonly session: Client;
  /** Ids of things that are there and may be lost. */
  readonly ids: readonly string[];
}

const operation = z.object({
  requestBody: z
    .object({
      content: z.record(z.string(), z.object({ schema: z.looseObject({ properties: z.looseObject({}).optional() }) })),
    })
    .optional(),
});
const document = z.object({ paths: z.record(z.string(), z.record(z.string(), operation)) });

/** Every route that the service says it has. */
async function readTargets(stack: Addresses): Promise<Target[]> {
  const { paths } = document.parse((await send('GET', `${stack.baseUrl}/v1/openapi.json`)).body);
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      fields: Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => Object.keys(schema.properties ?? {})),
    })),
  );
}

/** The routes, a tenant whose things may all be lost, and credentials of it that are not among them. */
export async function makeRange(stack: Addresses): Promise<Range> {
  const tenant = await makeTenant(stack);
  const keys = await Promise.all(
    (['free', 'wrapped', 'software', 'hsm'] as const).map((tier) => tenant.createKey(tier)),
  );
  const { id: apiKey } = await tenant.mint();
  const [container] = list(await tenant.console.send('GET', '/v1/containers'));
  const body = { name: randomUUID(), allowed_ips: ['192.0.2.1'] };
  const firewall = text(await tenant.console.send('POST', '/v1/firewalls', body), 'id');
  return {
    stack,
    targets: await readTargets(stack),
    api: tenant.api,
    session: tenant.console,
    ids: [...keys, apiKey, String(container?.id), firewall],
  };
}
