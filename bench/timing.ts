/*
 * npm run bench:timing [-- --rounds N]: the time to a 401 by its cause, the causes in random order in each round, and
 * how far the distribution of each cause's times overlaps with the first's.
 */
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { startSeparateStack } from '../emulators/stack/separate.ts';
import { call, type HttpAnswer, send } from './http-client.ts';
import { quantile } from './statistics.ts';
import { alignColumns } from './table.ts';
import { demoOf } from './tenant.ts';

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

/** A credential for each cause of a 401; `none` is no credential. The others are compared with the first. */
async function makeCredentials(): Promise<Record<string, string | undefined>> {
  const { api_key: live } = await demoOf(stack);
  const tokenOf = async (claims: object) => {
    const request = { method: 'POST', path: '/tokens', body: { sub: 'demo', ...claims } };
    return (await call(stack.controlUrl, request, z.object({ access_token: z.string() }))).access_token;
  };
  const token = await tokenOf({});
  await get('/v1/me', token);
  const mint = { method: 'POST', path: '/v1/api-keys', token, body: { name: 'revoked' } };
  const revoked = await call(stack.baseUrl, mint, minted);
  await send(stack.baseUrl, { method: 'DELETE', path: `/v1/api-keys/${revoked.id}`, token });
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

function get(path: string, token: string | undefined): Promise<HttpAnswer> {
  return send(stack.baseUrl, { method: 'GET', path, ...(token !== undefined && { token }) });
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

function showTable(measured: readonly (readonly [string, readonly number[]])[]): string {
  const [[, first = []] = []] = measured;
  const lines = measured.map(([cause, times]) => [
    cause,
    ...[0.05, 0.5, 0.95].map((share) => quantile(times, share).toFixed(2)),
    `${(100 * overlapOf(first, times)).toFixed(0)} %`,
  ]);
  return alignColumns([['401 because of', 'p5, ms', 'p50', 'p95', 'overlap'], ...lines]);
}

/** How far two distributions overlap, 0 to 1: 1 minus their largest distance (the Kolmogorov-Smirnov statistic). */
function overlapOf(a: readonly number[], b: readonly number[]): number {
  const shareUpTo = (times: readonly number[], limit: number) =>
    times.filter((time) => time <= limit).length / times.length;
  const distances = [...a, ...b].map((limit) => Math.abs(shareUpTo(a, limit) - shareUpTo(b, limit)));
  return 1 - Math.max(...distances);
}
