/*
 * Sends POST requests at random moments with a fixed average rate. Does not wait for answers, so it acts like many
 * independent callers: node bench/cloud/steady.ts with the argument of bench/load.ts. Prints a {@link LoadResult} as
 * JSON.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { send } from '../http-client.ts';
import { tallyAnswers } from '../send-load.ts';

const load = z
  .object({
    url: z.string(),
    perSecond: z.number(),
    seconds: z.number(),
    tokens: z.array(z.string()),
    body: z.string(),
  })
  .parse(JSON.parse(process.argv[2] ?? ''));

const timesMs = new Map<number, number[]>();
const inFlight: Promise<void>[] = [];
const startedAt = performance.now();
const untilMs = 1_000 * load.seconds;
for (let dueMs = 0, n = 0; dueMs < untilMs; dueMs += (-Math.log(1 - Math.random()) * 1_000) / load.perSecond, n++) {
  const earlyMs = startedAt + dueMs - performance.now();
  if (earlyMs >= 1) await pause(earlyMs);
  inFlight.push(sendOne(n));
}
const failed = (await Promise.allSettled(inFlight)).filter(({ status }) => status === 'rejected').length;
process.stdout.write(JSON.stringify({ answers: tallyAnswers(timesMs, load.seconds), unanswered: failed }));
process.exit();

async function sendOne(n: number): Promise<void> {
  const sentAt = performance.now();
  const token = load.tokens[n % load.tokens.length] ?? '';
  const { status } = await send('', { method: 'POST', path: load.url, token, raw: load.body });
  const times = timesMs.get(status) ?? [];
  times.push(performance.now() - sentAt);
  timesMs.set(status, times);
}
