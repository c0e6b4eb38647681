import { readFileSync } from 'node:fs';
import { z } from 'zod';

const load = z.object({ perSecond: z.number(), p50: z.number(), p95: z.number(), p99: z.number() });

const results = z
  .array(
    z.object({
      operation: z.string(),
      tier: z.string(),
      bytes: z.int(),
      connections: z.int(),
      measured: load,
      floor: load,
    }),
  )
  .min(1);

/** What is drawn of one line of the results. */
export type Result = z.output<typeof results>[number];

/** The results that `npm run bench` wrote. Throws a `ZodError` when they have another shape, or when there are none. */
export function readResults(file: string): Result[] {
  return results.parse(JSON.parse(readFileSync(file, 'utf8')));
}
