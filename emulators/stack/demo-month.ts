import { z } from 'zod';
import type { Job } from '../base/service-hooks.ts';
import type { TokenRequest } from '../identity/tokens.ts';
import type { StripeEmulator } from '../stripe/server.ts';
import { DEMO_SUBJECT, type Demo } from './seed.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const DAYS = 30;
/** The number of requests that run in parallel. */
const AT_ONCE = 16;
const PAUSE_MS = 200;

const created = z.object({ id: z.string() });
const minted = z.object({ id: z.string(), token: z.string() });
const invited = z.object({ token: z.string() });
const actionsOf = z
  .object({
    components: z.object({
      schemas: z.object({
        ApiKey: z.object({
          properties: z.object({
            allowed_actions: z.object({ items: z.object({ enum: z.array(z.string()) }) }),
          }),
        }),
      }),
    }),
  })
  .transform(({ components }) => components.schemas.ApiKey.properties.allowed_actions.items.enum);
const me = z.object({ tenant: z.object({ id: z.string() }) });
const containers = z.tuple([created]);

interface DemoMonthOptions {
  readonly baseUrl: string;
  /** The time of the stack's clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Sets the clock of every part to a time, in microseconds since the epoch. `null` returns to real time. */
  readonly setClock: (micros: number | null) => Promise<void>;
  readonly run: (job: Job) => Promise<unknown>;
  readonly mint: (request: TokenRequest) => Promise<string>;
  readonly stripe: StripeEmulator | undefined;
}

/** The operations on a weekday. A day on the weekend has a quarter of them. */
const DAILY = [
  { key: 'orders', through: 'shop', action: 'encrypt', ops: 14 },
  { key: 'orders', through: 'shop', action: 'decrypt', ops: 6 },
  { key: 'payroll', through: 'demo', action: 'encrypt', ops: 5 },
  { key: 'archive', through: 'demo', action: 'encrypt', ops: 3 },
  { key: 'demo', through: 'demo', action: 'encrypt', ops: 2 },
] as const;
type KeyName = (typeof DAILY)[number]['key'];
const TIERS: Readonly<Record<KeyName, string>> = {
  demo: 'free',
  orders: 'wrapped',
  payroll: 'software',
  archive: 'hsm',
};
const PLAINTEXT = Buffer.from('Hello, world').toString('base64');

/**
 * Creates the demo tenant at a time 29 days ago, and simulates its use until now. The result is always the same, except
 * for ids and dates. Afterwards, the clock shows real time again.
 */
export async function simulateDemoMonth(options: DemoMonthOptions): Promise<Demo> {
  const begin = options.now() - (DAYS - 1) * DAY_MS - 10 * MINUTE_MS;
  try {
    await options.setClock(begin * 1000);
    const tenant = await makeTenant(options);
    for (let day = 0; day < DAYS; day++) {
      await options.setClock((begin + day * DAY_MS) * 1000);
      await simulateDay(options, tenant, day);
      // Move the clock on, because events younger than two minutes cannot be sealed yet.
      await options.setClock((begin + day * DAY_MS + 5 * MINUTE_MS) * 1000);
      for (const job of ['seal-audit', 'destroy-due-keys', 'close-month'] as const) await options.run(job);
    }
    return tenant.demo;
  } finally {
    await options.setClock(null);
  }
}

interface DemoTenant {
  readonly demo: Demo;
  readonly keys: Readonly<Record<KeyName, string>>;
  readonly tokens: Readonly<Record<'demo' | 'shop', string>>;
  readonly ciphertext: string;
}

async function makeTenant(options: DemoMonthOptions): Promise<DemoTenant> {
  const person = await signIn(options, DEMO_SUBJECT, 'Demo');
  const { tenant } = me.parse(await person('GET', '/v1/me'));
  await person('PATCH', '/v1/tenant', { name: 'Demo' });
  await options.stripe?.setSubscription(tenant.id, 'active');
  const [container] = containers.parse(await person('GET', '/v1/containers'));
  const allowed_actions = actionsOf.parse(await person('GET', '/v1/openapi.json'));
  const apiKey = minted.parse(await person('POST', '/v1/api-keys', { name: 'demo', allowed_actions }));
  const create = async (name: KeyName): Promise<string> =>
    created.parse(await person('POST', '/v1/keys', { name, tier: TIERS[name] })).id;
  const keys = {
    demo: await create('demo'),
    orders: await create('orders'),
    payroll: await create('payroll'),
    archive: await create('archive'),
  };
  const allowed_ips = ['127.0.0.1', '::1', '192.0.2.0/24'];
  const firewall = created.parse(await person('POST', '/v1/firewalls', { name: 'office', allowed_ips }));
  const restricted = { key_ids: [keys.orders], firewall_id: firewall.id };
  const shop = minted.parse(
    await person('POST', '/v1/api-keys', { name: 'shop', allowed_actions: ['encrypt', 'decrypt'], ...restricted }),
  );
  await person('POST', '/v1/api-keys', { name: 'reports', allowed_actions: ['decrypt'], key_ids: [keys.payroll] });
  const { token } = invited.parse(await person('POST', '/v1/invitations', { role: 'auditor', note: 'for Ada' }));
  const auditor = await signIn(options, 'ada', 'Ada');
  await auditor('POST', '/v1/invitations/accept', { token });
  const call = caller(options, shop.token);
  const { ciphertext } = z
    .object({ ciphertext: z.string() })
    .parse(await call('POST', `/v1/keys/${keys.orders}/encrypt`, { plaintext: PLAINTEXT }));
  const demo = {
    tenant_id: tenant.id,
    container_id: container.id,
    api_key: apiKey.token,
    api_key_id: apiKey.id,
    key_id: keys.demo,
    subscribed: options.stripe !== undefined,
  };
  return { demo, keys, tokens: { demo: apiKey.token, shop: shop.token }, ciphertext };
}

async function simulateDay(options: DemoMonthOptions, tenant: DemoTenant, day: number): Promise<void> {
  const { keys, tokens, ciphertext } = tenant;
  const weekday = new Date(options.now()).getUTCDay();
  const share = weekday === 0 || weekday === 6 ? 1 / 4 : 1 + day / DAYS;
  const pending = DAILY.flatMap(({ key, through, action, ops }) => {
    const path = `/v1/keys/${keys[key]}/${action}`;
    const body = action === 'encrypt' ? { plaintext: PLAINTEXT } : { ciphertext };
    const call = caller(options, tokens[through]);
    return Array.from({ length: Math.ceil(ops * share) }, () => () => call('POST', path, body));
  });
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let next = pending.pop(); next !== undefined; next = pending.pop()) await next();
    }),
  );
  const person = await signIn(options, DEMO_SUBJECT, 'Demo');
  if (day === 3) await person('POST', '/v1/keys', { name: 'import', tier: 'wrapped' });
  if (day === 12) await person('POST', `/v1/keys/${keys.payroll}/rotate`);
  // This request is refused, because the API key does not have the action `wrap`.
  if (day === 20) await caller(options, tokens.shop, [403])('POST', `/v1/keys/${keys.orders}/wrap`, {});
  if (day === 26) {
    const all = z.array(z.object({ id: z.string(), name: z.string() })).parse(await person('GET', '/v1/keys'));
    for (const { id } of all.filter(({ name }) => name === 'import')) await person('DELETE', `/v1/keys/${id}`);
  }
}

type Call = (method: string, path: string, body?: object) => Promise<unknown>;

async function signIn(options: DemoMonthOptions, sub: string, name: string): Promise<Call> {
  return caller(options, await options.mint({ sub, name, email: `${sub}@example.com` }));
}

/**
 * Returns a function that sends requests with a token. It retries after a 429, and throws for any other unexpected
 * status.
 */
function caller({ baseUrl }: DemoMonthOptions, token: string, expected: readonly number[] = []): Call {
  return async (method, path, body) => {
    for (;;) {
      const response = await fetch(`${baseUrl}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (response.ok || expected.includes(response.status)) return text === '' ? undefined : JSON.parse(text);
      if (response.status !== 429) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
}
