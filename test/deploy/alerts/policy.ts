import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { ROOT } from '../../sources.ts';

const aggregation = z.object({
  alignmentPeriod: z.string(),
  perSeriesAligner: z.enum(['ALIGN_DELTA', 'ALIGN_PERCENTILE_99', 'ALIGN_NEXT_OLDER']),
  crossSeriesReducer: z.enum(['REDUCE_SUM', 'REDUCE_MAX', 'REDUCE_COUNT_FALSE']),
});
const threshold = z.object({
  filter: z.string(),
  aggregations: z.tuple([aggregation]),
  comparison: z.literal('COMPARISON_GT'),
  thresholdValue: z.number(),
  duration: z.string(),
});
const promql = z.object({ query: z.string(), duration: z.string() });
const condition = z.union([
  z.object({ displayName: z.string(), conditionThreshold: threshold }),
  z.object({ displayName: z.string(), conditionPrometheusQueryLanguage: promql }),
  z.object({ displayName: z.string(), conditionMatchedLog: z.object({ filter: z.string() }) }),
]);
const policy = z.object({
  documentation: z.object({ content: z.string() }),
  combiner: z.literal('OR'),
  conditions: z.array(condition),
});

export type Threshold = z.output<typeof threshold>;
export type Promql = z.output<typeof promql>;
export type Condition = z.output<typeof condition>;

/** The alert policies, by name. */
export const POLICIES: ReadonlyMap<string, z.output<typeof policy>> = new Map(
  globSync('deploy/monitoring/alerts/*.json', { cwd: ROOT })
    .sort()
    .map((file) => [basename(file, '.json'), policy.parse(JSON.parse(readFileSync(join(ROOT, file), 'utf8')))]),
);
