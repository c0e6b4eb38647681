/* Loads one address from a process of its own: node bench/load.ts '{"url","connections","seconds","token","body"}' */
import autocannon from 'autocannon';
import { z } from 'zod';

const asked = z
  .object({ url: z.string(), connections: z.int(), seconds: z.number(), token: z.string(), body: z.string() })
  .parse(JSON.parse(process.argv[2] ?? ''));

const timesMs: number[] = [];
let refused = 0;

const load = autocannon(
  {
    url: asked.url,
    method: 'POST',
    connections: asked.connections,
    duration: asked.seconds,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${asked.token}` },
    body: asked.body,
  },
  (_error, result) => {
    timesMs.sort((a, b) => a - b);
    const at = (share: number) => timesMs[Math.floor(share * (timesMs.length - 1))] ?? 0;
    process.stdout.write(
      JSON.stringify({
        total: timesMs.length,
        perSecond: timesMs.length / result.duration,
        p50: at(0.5),
        p95: at(0.95),
        p99: at(0.99),
        failed: refused + result.errors,
      }),
    );
  },
);
load.on('response', (_client, status, _bytes, timeMs) => {
  timesMs.push(timeMs);
  if (status !== 200) refused++;
});
