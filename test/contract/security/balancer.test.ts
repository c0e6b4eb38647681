import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { outcome, text } from '../../support/client.ts';
import { sendRaw } from '../../support/raw.ts';
import { startSecondService } from '../../support/second-service.ts';
import { type Client, makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');
const [OLD, SECRET, WRONG] = ['o', 's', 'w'].map((letter) => letter.repeat(43));
const [ADMITTED, CALLER, BALANCER] = ['192.0.2.1', '203.0.113.9', '198.51.100.1'];

let service: Awaited<ReturnType<typeof startSecondService>>;
let client: Client;
beforeAll(async () => {
  const tenant = await makeTenant(stack);
  const networks = { name: randomUUID(), allowed_ips: [ADMITTED] };
  const firewall_id = text(await tenant.console.send('POST', '/v1/firewalls', networks), 'id');
  ({ client } = await tenant.mint({ firewall_id }));
  service = await startSecondService(stack, { TRUSTED_PROXY_HOPS: '2', BALANCER_SECRET: `${OLD},${SECRET}` });
});
afterAll(() => service.stop());

function ask(...lines: readonly string[]) {
  return sendRaw(service, 'GET /v1/keys', [`authorization: Bearer ${client.token}`, ...lines]);
}

/** A request through the balancer, which appends the caller's address and its own, and sets the secret. */
const throughBalancer = (caller: string, forged: string, secret = SECRET) =>
  ask(`x-forwarded-for: ${forged}${caller},${BALANCER}`, `x-balancer-secret: ${secret}`);
/** A request to the gateway's own address, which appends only the caller's address. */
const aroundBalancer = (forged: string, ...lines: readonly string[]) =>
  ask(`x-forwarded-for: ${forged},${CALLER}`, ...lines);

test('through the balancer, the caller’s real address decides, whatever X-Forwarded-For the caller sends', async () => {
  expect(outcome(await throughBalancer(ADMITTED, ''))).toBe('200');
  expect(outcome(await throughBalancer(CALLER, `${ADMITTED},`))).toBe('403 ip_not_allowed');
});

test('around the balancer, a caller who chooses an admitted address in X-Forwarded-For is refused', async () => {
  expect(outcome(await aroundBalancer(ADMITTED))).toBe('401 unauthorized');
});

test.for([
  ['a wrong secret', [`x-balancer-secret: ${WRONG}`]],
  ['an empty secret', ['x-balancer-secret:']],
  ['the names of both accepted secrets', [`x-balancer-secret: ${OLD},${SECRET}`]],
  ['two headers, one of them right', [`x-balancer-secret: ${WRONG}`, `x-balancer-secret: ${SECRET}`]],
] as const)('around the balancer, a request with %s is refused', async ([, lines]) => {
  expect(outcome(await aroundBalancer(ADMITTED, ...lines))).toBe('401 unauthorized');
});

test('while the secret is replaced, the old and the new secret are accepted', async () => {
  expect(outcome(await throughBalancer(ADMITTED, '', OLD))).toBe('200');
});
