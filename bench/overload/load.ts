/*
 * Offers requests at a rate, from a process of its own: node bench/overload/load.ts '{"url","perSecond","seconds","tokens","body"}'.
 * An open load: what is not answered in time does not keep the next from being sent, up to the connections that there are.
 */
import autocannon from 'autocannon';
import { z } from 'zod';

const CONNECTIONS = 4_000;

const asked = z
  .object({
    url: z.string(),
    /** Offered in all; without it, as many as `connections` can. */
    perSecond: z.number().optional(),
    connections: z.int().default(CONNECTIONS),
    seconds: z.number(),
    tokens: z.array(z.string()),
    body: z.string(),
  })
  .parse(JSON.parse(process.argv[2] ?? ''));

const timesMs = new Map<number, number[]>();

const load = autocannon(
  {
    url: asked.url,
    method: 'POST',
    connections: asked.connections,
    duration: asked.seconds,
    timeout: 30,
    ...(asked.perSecond !== undefined && { overallRate: asked.perSecond }),
    requests: asked.tokens.map((token) => ({
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: asked.body,
    })),
  },
  (_error, { duration, errors }) => {
    const answers = [...timesMs].map(([status, times]) => {
      times.sort((a, b) => a - b);
      const at = (share: number) => times[Math.floor(share * (times.length - 1))] ?? 0;
      return { status, perSecond: times.length / duration, p50: at(0.5), p99: at(0.99) };
    });
    process.stdout.write(JSON.stringify({ answers, unanswered: errors }));
  },
);
load.on('response', (_client, status, _bytes, timeMs) => {
  const times = timesMs.get(status) ?? [];
  times.push(timeMs);
  timesMs.set(status, times);
});
