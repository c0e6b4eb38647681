import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import { pathOf } from './child.ts';
import { quantile } from './statistics.ts';

/** A load of POST requests. The requests use the API keys of `tokens` in turn. */
export interface Load {
  readonly url: string;
  readonly connections: number;
  /** The number of requests per second. If omitted, each connection sends its next request after an answer. */
  readonly perSecond?: number;
  readonly seconds: number;
  readonly tokens: readonly string[];
  readonly body: string;
}

const answers = z.object({
  status: z.int(),
  count: z.int(),
  perSecond: z.number(),
  p50: z.number(),
  p95: z.number(),
  p99: z.number(),
});
const result = z.object({ answers: z.array(answers), unanswered: z.int() });

/** Statistics of the answers that have the same status. Latencies are in milliseconds. */
export type Answers = z.output<typeof answers>;

/**
 * The result of a load. `unanswered` counts the requests whose connection failed or that had no answer within 30
 * seconds.
 */
export type LoadResult = z.output<typeof result>;

export async function sendLoad(load: Load, program = 'load.ts'): Promise<LoadResult> {
  const { stdout } = await promisify(execFile)(process.execPath, [pathOf(program), JSON.stringify(load)]);
  return result.parse(JSON.parse(stdout));
}

/**
 * Sends a load and returns the statistics of its answers. Throws if there is no answer, or if any answer has a status
 * other than 200.
 */
export async function sendAnsweredLoad(load: Load, program?: string): Promise<Answers> {
  const { answers, unanswered } = await sendLoad(load, program);
  const [first, ...others] = answers;
  if (first?.status !== 200 || others.length > 0 || unanswered > 0) {
    const counts = answers.map(({ status, count }) => `${count} × ${status}`);
    throw new Error(`${load.url}: ${[...counts, `${unanswered} unanswered`].join(', ')}`);
  }
  return first;
}

export function tallyAnswers(timesMs: ReadonlyMap<number, readonly number[]>, seconds: number): Answers[] {
  return [...timesMs].map(([status, times]) => ({
    status,
    count: times.length,
    perSecond: times.length / seconds,
    p50: quantile(times, 0.5),
    p95: quantile(times, 0.95),
    p99: quantile(times, 0.99),
  }));
}
