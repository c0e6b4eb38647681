import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { outcome, text } from '../../support/client.ts';
import { sendRaw } from '../../support/raw.ts';
import { type SecondService, startSecondService } from '../../support/second-service.ts';
import { type Client, makeFirewall, makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');
const REFUSED = '403 ip_not_allowed';
const [OLD, SECRET, WRONG] = ['o', 's', 'w'].map((letter) => letter.repeat(43));
const [ADMITTED, CALLER, BALANCER] = ['192.0.2.1', '203.0.113.9', '198.51.100.1'] as const;

/** Services by the number of proxies in front of them, and one behind a balancer with a secret. */
let services: Record<'1' | '2' | 'balanced', SecondService>;
let client: Client;
beforeAll(async () => {
  const tenant = await makeTenant(stack);
  const firewall_id = await makeFirewall(tenant, { allowed_ips: [ADMITTED, '2001:db8::/32'] });
  ({ client } = await tenant.mint({ firewall_id }));
  services = {
    1: await startSecondService(stack, { TRUSTED_PROXY_HOPS: '1' }),
    2: await startSecondService(stack, { TRUSTED_PROXY_HOPS: '2' }),
    balanced: await startSecondService(stack, { TRUSTED_PROXY_HOPS: '2', BALANCER_SECRET: `${OLD},${SECRET}` }),
  };
});
afterAll(() => Promise.all(Object.values(services).map((service) => service.stop())));

const ask = (which: keyof typeof services, ...lines: readonly string[]) =>
  sendRaw(services[which], 'GET /v1/keys', [`authorization: Bearer ${client.token}`, ...lines]);

test.each([
  ['1', 'only the client', '192.0.2.1', '200'],
  ['1', 'a false entry before the client', '192.0.2.1, 203.0.113.9', REFUSED],
  ['1', 'a false entry with a refused address', '203.0.113.9, 192.0.2.1', '200'],
  ['1', 'an empty last entry', '192.0.2.1,', REFUSED],
  ['1', 'an address with a port', '192.0.2.1:443', REFUSED],
  ['1', 'an IPv4-mapped address', '::ffff:192.0.2.1', '200'],
  ['2', 'the client and one proxy', '192.0.2.1, 198.51.100.1', '200'],
  ['2', 'one entry, because the request bypassed a proxy', '192.0.2.1', REFUSED],
  ['2', 'a false entry before the client', '192.0.2.1, 203.0.113.9, 198.51.100.1', REFUSED],
] as const)('behind %s proxies, a request whose X-Forwarded-For contains %s (%s) gets %s', async (...row) => {
  const [hops, , entries, expected] = row;
  const others = ['x-real-ip: 192.0.2.1', 'forwarded: for=192.0.2.1', 'x_forwarded_for: 192.0.2.1'];
  expect(outcome(await ask(hops, `x-forwarded-for: ${entries}`, ...others))).toBe(expected);
});

test('the message of a firewall refusal contains only the address that was checked', async () => {
  const message = text(await ask('1', `x-forwarded-for: ${ADMITTED}, ${CALLER}`), 'message');
  expect(message).toContain(CALLER);
  expect(message).not.toContain(ADMITTED);
});

/** A request through the balancer, which appends the caller's address and its own, and sets the secret. */
const throughBalancer = (caller: string, forged: string, secret = SECRET) =>
  ask('balanced', `x-forwarded-for: ${forged}${caller},${BALANCER}`, `x-balancer-secret: ${secret}`);

test('through the balancer, the caller’s real address decides, whatever X-Forwarded-For the caller sends', async () => {
  expect(outcome(await throughBalancer(ADMITTED, ''))).toBe('200');
  expect(outcome(await throughBalancer(CALLER, `${ADMITTED},`))).toBe(REFUSED);
});

test('while the secret is replaced, the old and the new secret are accepted', async () => {
  expect(outcome(await throughBalancer(ADMITTED, '', OLD))).toBe('200');
});

test.for([
  ['no secret', []],
  ['a wrong secret', [`x-balancer-secret: ${WRONG}`]],
  ['an empty secret', ['x-balancer-secret:']],
  ['the names of both accepted secrets', [`x-balancer-secret: ${OLD},${SECRET}`]],
  ['two headers, one of them right', [`x-balancer-secret: ${WRONG}`, `x-balancer-secret: ${SECRET}`]],
] as const)(
  'around the balancer, a caller who chooses an admitted address and sends %s is refused',
  async ([, lines]) => {
    // The gateway's own address appends only the caller's address.
    const answer = await ask('balanced', `x-forwarded-for: ${ADMITTED},${CALLER}`, ...lines);
    expect(outcome(answer)).toBe('401 unauthorized');
  },
);
