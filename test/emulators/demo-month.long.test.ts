import { expect, test } from 'vitest';
import { z } from 'zod';
import { DEMO_SUBJECT } from '../../emulators/stack/seed.ts';
import { startSeparateStack } from '../../emulators/stack/separate.ts';
import { signIn } from '../support/tenant.ts';

const DAY_MS = 86_400_000;
const daily = z.array(z.looseObject({ day: z.string() }));
const named = z.array(z.looseObject({ name: z.string() }));
const keys = z.array(z.looseObject({ tier: z.string(), state: z.string() }));
const seals = z.array(z.looseObject({ until: z.string() }));

test('with --demo, the demo tenant has a month of history: keys, API keys, a firewall, daily usage and a sealed log', async () => {
  const stack = await startSeparateStack('--demo');
  try {
    const session = await signIn(stack, DEMO_SUBJECT);
    const get = async (path: string): Promise<unknown> => (await session.send('GET', path)).body;
    const months = [0, 29].map((ago) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 7));
    const lines = await Promise.all(
      [...new Set(months)].map(async (month) => daily.parse(await get(`/v1/usage/daily?period=${month}`))),
    );
    expect(new Set(lines.flat().map(({ day }) => day)).size).toBe(30);
    const all = keys.parse(await get('/v1/keys'));
    expect(new Set(all.map(({ tier }) => tier))).toEqual(new Set(['free', 'wrapped', 'software', 'hsm']));
    expect(all.some(({ state }) => state === 'pending_deletion')).toBe(true);
    expect(named.parse(await get('/v1/api-keys')).map(({ name }) => name)).toEqual(['demo', 'shop', 'reports']);
    expect(named.parse(await get('/v1/firewalls'))).toHaveLength(1);
    expect(named.parse(await get('/v1/members')).map(({ name }) => name)).toEqual(['Demo', 'Ada']);
    const last = seals.parse(await get('/v1/audit/seals?limit=1000')).at(-1)?.until ?? '';
    expect(Date.now() - Date.parse(last)).toBeLessThan(DAY_MS);
  } finally {
    await stack.stop();
  }
});
