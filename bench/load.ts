/*
 * Sends POST requests to one URL: node bench/load.ts '{"url","connections","seconds","tokens","body"}'. Prints a {@link
 * LoadResult} as JSON. By default, each connection sends its next request after it has received an answer (closed
 * loop). With `perSecond`, requests are sent at that rate without waiting for answers, and `connections` is the maximum
 * number of requests in flight (open loop).
 */
import autocannon from 'autocannon';
import { z } from 'zod';
import { tallyAnswers } from './send-load.ts';
import { shuffled } from './statistics.ts';

const load = z
  .object({
    url: z.string(),
    connections: z.int(),
    perSecond: z.number().optional(),
    seconds: z.number(),
    /** The API keys. Requests use them in turn. */
    tokens: z.array(z.string()),
    body: z.string(),
  })
  .parse(JSON.parse(process.argv[2] ?? ''));

const timesMs = new Map<number, number[]>();
const requests = load.tokens.map((token) => ({
  headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
  body: load.body,
}));

autocannon(
  {
    url: load.url,
    method: 'POST',
    connections: load.connections,
    duration: load.seconds,
    timeout: 30,
    ...(load.perSecond !== undefined && { overallRate: load.perSecond }),
    requests,
    // The requests are shuffled. Otherwise all connections would use the same API key at the same time.
    setupClient: (client) => client.setRequests(shuffled(requests)),
  },
  (_error, { duration, errors }) => {
    const answers = tallyAnswers(timesMs, duration);
    process.stdout.write(JSON.stringify({ answers, unanswered: errors }));
  },
).on('response', (_client, status, _bytes, timeMs) => {
  const times = timesMs.get(status) ?? [];
  times.push(timeMs);
  timesMs.set(status, times);
});
