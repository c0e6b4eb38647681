import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Addresses, list, send, text } from '../../support/client.ts';
import { type Client, makeTenant } from '../../support/tenant.ts';

/** A route to fuzz. */
export interface Target {
  readonly method: string;
  /** The route's path, with `{id}` in place of an id. */
  readonly path: string;
  /** The fields of the request body; empty if the route has no body. */
  readonly fields: readonly string[];
}

/** Everything that a fuzz run needs to send requests. */
export interface Setup {
  readonly stack: Addresses;
  readonly targets: readonly Target[];
  readonly api: Client;
  readonly session: Client;
  /** Ids of existing objects that the requests may delete. */
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

/** Returns every route in the service's OpenAPI document. */
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

/** Makes a tenant for a fuzz run. The requests may delete its objects, but cannot revoke the run's own credentials. */
export async function makeSetup(stack: Addresses): Promise<Setup> {
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
