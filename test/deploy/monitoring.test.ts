import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ROOT, sources } from '../sources.ts';

const metric = z.object({ filter: z.string(), labelExtractors: z.record(z.string(), z.string()).optional() });
const alert = z.object({ displayName: z.string(), documentation: z.object({ content: z.string().min(1) }) });

function files(kind: string): [name: string, text: string][] {
  const paths = globSync(`deploy/monitoring/${kind}/*.json`, { cwd: ROOT }).sort();
  return paths.map((path) => [basename(path, '.json'), readFileSync(join(ROOT, path), 'utf8')]);
}

const metrics = files('metrics');
const deployed = [...sources].filter(([file]) => /^(shared|functions)\//.test(file)).map(([, source]) => source);

describe.for(metrics)('the metric %s', ([, text]) => {
  const { filter, labelExtractors = {} } = metric.parse(JSON.parse(text));

  test('counts messages that the service logs', () => {
    const messages = [...(/jsonPayload\.message=(\([^)]*\)|"[^"]*")/.exec(filter)?.[1] ?? '').matchAll(/"([^"]+)"/g)];
    expect(messages.length).toBeGreaterThan(0);
    const unknown = messages.filter(([, message]) => !deployed.some((source) => source.includes(`'${message}'`)));
    expect(unknown).toEqual([]);
  });

  test('reads fields that are logged', () => {
    const loggers = deployed.filter((source) => /\blog\.write\(/.test(source));
    const read = [...`${filter} ${text} ${Object.values(labelExtractors)}`.matchAll(/jsonPayload\.(\w+)/g)];
    const fields = [...new Set(read.map(([, field]) => field))].filter((field) => field !== 'message');
    const isLogged = (field: string | undefined) =>
      loggers.some((source) => new RegExp(`[ {]${field}: `, 'm').test(source));
    expect(fields.filter((field) => !isLogged(field))).toEqual([]);
  });
});

describe.for(files('alerts'))('the alert %s', ([name, text]) => {
  test('is found by the name of its file, and says what it means', () => {
    expect(alert.parse(JSON.parse(text)).displayName).toBe(`encryption: ${name}`);
  });

  test('watches metrics that are there', () => {
    const watched = [...text.matchAll(/logging\.googleapis\.com\/user\/encryption\/([\w-]+)/g)].map(([, one]) => one);
    expect(watched.filter((one) => !metrics.some(([known]) => known === one))).toEqual([]);
  });
});

describe('what a scheduled run left undone', () => {
  const condition = z.object({
    conditionThreshold: z.object({
      filter: z.string(),
      comparison: z.literal('COMPARISON_GT'),
      thresholdValue: z.number(),
    }),
  });
  const overdue = z.object({ conditions: z.array(condition) });
  const [, text = ''] = files('alerts').find(([name]) => name === 'overdue') ?? [];
  const longest = overdue
    .parse(JSON.parse(text))
    .conditions.map(({ conditionThreshold: { filter, thresholdValue } }) => [
      /labels\.run="([\w-]+)"/.exec(filter)?.[1],
      thresholdValue,
    ]);

  test('is told by its age, not by how much it is: a key after an hour, a month after a day, rows to seal after an hour', () => {
    expect(longest).toEqual([
      ['destroy-due-keys', 3_600],
      ['close-month', 86_400],
      ['seal-audit', 3_600],
    ]);
  });

  test('is measured so that no age below a threshold is taken for one above it', () => {
    const buckets = z.object({
      bucketOptions: z.object({ explicitBuckets: z.object({ bounds: z.array(z.number()) }) }),
    });
    const { bucketOptions } = buckets.parse(JSON.parse(metrics.find(([name]) => name === 'overdue')?.[1] ?? ''));
    for (const [, threshold] of longest) expect(bucketOptions.explicitBuckets.bounds).toContain(threshold);
  });
});

test('every metric of failures is watched', () => {
  const alerts = files('alerts')
    .map(([, text]) => text)
    .join();
  expect(metrics.filter(([name]) => !alerts.includes(`encryption/${name}\\"`)).map(([name]) => name)).toEqual([]);
});
