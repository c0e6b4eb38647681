/*
 * npm run bench:timing [-- --rounds N]: how long each kind of 401 takes, asked for in turn, and how far the times of
 * each overlap with those of the first.
 */
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { startSeparateStack } from '../emulators/stack/separate.ts';
import { demoOf } from './demo.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '500' } } });
const rounds = Number(values.rounds);

const minted = z.object({ id: z.string(), token: z.string() });

const stack = await startSeparateStack();
try {
  const credentials = await makeCredentials();
  const times = new Map(Object.keys(credentials).map((cause): [string, number[]] => [cause, []]));
  // The rounds below zero warm up.
  for (let round = -20; round < rounds; round++) {
    for (const [cause, token] of shuffled(Object.entries(credentials))) {
      const startedAt = performance.now();
      const answer = await get('/v1/keys', token);
      const tookMs = performance.now() - startedAt;
      if (answer.status !== 401) throw new Error(`${cause}: ${answer.status}`);
      if (round >= 0) times.get(cause)?.push(tookMs);
    }
  }
  process.stdout.write(showTable([...times]));
} finally {
  await stack.stop();
}

/** One credential for each cause of a 401, `none` among them; the first is what the others are held against. */
async function makeCredentials(): Promise<Record<string, string | undefined>> {
  const { api_key: live } = await demoOf(stack);
  const sign = (more: object) => post(stack.controlUrl, '/tokens', undefined, { sub: 'demo', ...more });
  const tokenOf = async (more: object) => z.object({ access_token: z.string() }).parse(await sign(more)).access_token;
  const session = await tokenOf({});
  await get('/v1/me', session);
  const revoked = minted.parse(await post(stack.baseUrl, '/v1/api-keys', session, { name: 'revoked' }));
  await fetch(`${stack.baseUrl}/v1/api-keys/${revoked.id}`, { method: 'DELETE', headers: bearer(session) });
  return {
    'unknown prefix': `esk_${'a'.repeat(26)}_${'A'.repeat(43)}`,
    revoked: revoked.token,
    'wrong secret': `${live.slice(0, -43)}${'A'.repeat(43)}`,
    'wrong secret, nearly right': `${live.slice(0, -2)}${live.at(-2) === 'A' ? 'B' : 'A'}${live.at(-1)}`,
    none: undefined,
    malformed: 'esk_short',
    'session expired': await tokenOf({ expires_in: -60 }),
    'session signed by a stranger': await tokenOf({ signed_by: 'stranger' }),
    'session for another audience': await tokenOf({ audience: 'another' }),
  };
}

function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

async function get(path: string, token: string | undefined): Promise<Response> {
  const answer = await fetch(`${stack.baseUrl}${path}`, { headers: bearer(token) });
  await answer.arrayBuffer();
  return answer;
}

async function post(base: string, path: string, token: string | undefined, body: unknown): Promise<unknown> {
  const headers = { ...bearer(token), 'content-type': 'application/json' };
  const answer = await fetch(`${base}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return answer.json();
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

function showTable(measured: readonly (readonly [string, readonly number[]])[]): string {
  const [[, first = []] = []] = measured;
  const lines = measured.map(([cause, times]) => {
    const sorted = times.toSorted((a, b) => a - b);
    const at = (share: number) =>
      (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(2).padStart(8);
    const overlap = `${(100 * overlapOf(first, times)).toFixed(0)} %`.padStart(8);
    return `${cause.padEnd(30)}${at(0.05)}${at(0.5)}${at(0.95)}${overlap}\n`;
  });
  return `${'401 because of'.padEnd(30)}  p5, ms     p50     p95 overlap\n${lines.join('')}`;
}

/** How much of two distributions is common, 0 to 1: 1 less the largest distance between them (Kolmogorov and Smirnov). */
function overlapOf(a: readonly number[], b: readonly number[]): number {
  const shareUpTo = (times: readonly number[], limit: number) =>
    times.filter((time) => time <= limit).length / times.length;
  const distances = [...a, ...b].map((limit) => Math.abs(shareUpTo(a, limit) - shareUpTo(b, limit)));
  return 1 - Math.max(...distances);
}
