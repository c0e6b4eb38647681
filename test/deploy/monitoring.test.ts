import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { SCHEDULES } from '../../deploy/schedules.ts';
import { createAlerts } from '../../deploy/steps/monitoring.ts';
import { EVENTS } from '../../shared/events.ts';
import { ROOT, sources } from '../sources.ts';
import { EXAMPLE } from './example.ts';

const metric = z.object({ filter: z.string(), labelExtractors: z.record(z.string(), z.string()).optional() });
const alert = z.object({ displayName: z.string(), documentation: z.object({ content: z.string().min(1) }) });

function files(kind: string): [name: string, text: string][] {
  const paths = globSync(`deploy/monitoring/${kind}/*.json`, { cwd: ROOT }).sort();
  return paths.map((path) => [basename(path, '.json'), readFileSync(join(ROOT, path), 'utf8')]);
}

const metrics = files('metrics');
/** Returns the name of a metric in PromQL, without Google’s prefix `logging_googleapis_com:user_`. */
const promqlName = (name: string) => `encryption_${name.replaceAll('-', '_')}`;
const deployed = [...sources].filter(([file]) => /^(shared|functions)\//.test(file)).map(([, source]) => source);

const severities = new Map<string, string>(Object.entries(EVENTS));

/** The messages that a metric’s filter selects. */
function messagesOf(filter: string): string[] {
  const [, asked = ''] = /jsonPayload\.message=(\([^)]*\)|"[^"]*")/.exec(filter) ?? [];
  return [...asked.matchAll(/"([^"]+)"/g)].map(([, message = '']) => message);
}

const onServiceLogs = metrics.filter(([, text]) => text.includes('jsonPayload.message'));

describe.for(onServiceLogs)('the metric %s', ([, text]) => {
  const { filter, labelExtractors = {} } = metric.parse(JSON.parse(text));

  test('the metric counts only events of the catalogue, and if its filter names a severity, these events have that severity', () => {
    const messages = messagesOf(filter);
    expect(messages.length).toBeGreaterThan(0);
    expect(messages.filter((message) => !severities.has(message))).toEqual([]);
    const [, severity] = /severity=(\w+)/.exec(filter) ?? [];
    if (severity !== undefined)
      expect(new Set(messages.map((one) => severities.get(one)))).toEqual(new Set([severity]));
  });

  test('if the metric has a label “run”, the values of the label are the names of the scheduled functions', () => {
    const [, pattern] = /^REGEXP_EXTRACT\(jsonPayload\.message, "(.*)"\)$/.exec(labelExtractors.run ?? '') ?? [];
    if (pattern === undefined) return expect(labelExtractors).not.toHaveProperty('run');
    const labels = messagesOf(filter).map((message) => new RegExp(pattern).exec(message)?.[1] ?? message);
    expect([...new Set(labels)].sort()).toEqual(
      [...new Set(Object.values(SCHEDULES).map(({ calls }) => calls))].sort(),
    );
  });

  test('a reason that the metric counts is one that the service gives', () => {
    const asked = [...filter.matchAll(/jsonPayload\.reason="([^"]+)"/g)].map(([, reason]) => reason);
    expect(asked.filter((reason) => !deployed.some((source) => source.includes(`reason: '${reason}'`)))).toEqual([]);
  });

  test('the metric reads only fields that the service logs', () => {
    const loggers = deployed.filter((source) => /\blog\.write\(/.test(source));
    const read = [...`${filter} ${text} ${Object.values(labelExtractors)}`.matchAll(/jsonPayload\.(\w+)/g)];
    const fields = [...new Set(read.map(([, field]) => field))].filter((field) => field !== 'message');
    const isLogged = (field: string | undefined) =>
      loggers.some((source) => new RegExp(`[ {]${field}: `, 'm').test(source));
    expect(fields.filter((field) => !isLogged(field))).toEqual([]);
  });
});

describe.for(files('alerts'))('the alert %s', ([name, text]) => {
  test('the alert is named after its file, and has documentation', () => {
    expect(alert.parse(JSON.parse(text)).displayName).toBe(`encryption: ${name}`);
  });

  test('the alert’s documentation names only events of the catalogue', () => {
    const { content } = alert.parse(JSON.parse(text)).documentation;
    const quoted = [...content.matchAll(/`([^`]*)`/g)].map(([, words = '']) => words);
    expect(quoted.filter((words) => words.includes(' ') && !severities.has(words))).toEqual([]);
  });

  test('the alert watches only metrics that exist', () => {
    const watched = [...text.matchAll(/logging\.googleapis\.com\/user\/encryption\/([\w-]+)/g)].map(([, one]) => one);
    expect(watched.filter((one) => !metrics.some(([known]) => known === one))).toEqual([]);
    const inPromql = [...text.matchAll(/logging_googleapis_com:user_(\w+)/g)].map(([, one]) => one);
    expect(inPromql.filter((one) => !metrics.some(([known]) => promqlName(known) === one))).toEqual([]);
  });
});

describe('metrics from Cloud Run, which count even when no code of the service runs', () => {
  test.for([
    ['alerts', 'server-errors', 'metric.type="run.googleapis.com/request_count" resource.type="cloud_run_revision"'],
    ['alerts', 'server-errors', 'metric.labels.response_code_class="5xx"'],
    ['alerts', 'refused', 'run_googleapis_com:request_count{monitored_resource="cloud_run_revision",'],
    ['alerts', 'refused', 'response_code=~"401|403|429"'],
    ['metrics', 'unserved', 'log_id("run.googleapis.com/requests")'],
    ['metrics', 'crashes', 'log_id("run.googleapis.com/varlog/system")'],
  ] as const)('in the folder %s, the definition “%s” selects Cloud Run data with %s', ([kind, name, words]) => {
    expect(files(kind).find(([one]) => one === name)?.[1]).toContain(JSON.stringify(words).slice(1, -1));
  });
});

describe('a scheduled function that does not finish', () => {
  const condition = z.object({
    conditionPrometheusQueryLanguage: z.object({ query: z.string(), duration: z.string() }),
  });
  const absence = z.object({ conditions: z.tuple([condition]) });
  const ABSENT =
    /^absent_over_time\(logging_googleapis_com:user_encryption_scheduled_runs\{monitored_resource="cloud_run_revision",run="([\w-]+)"\}\[(\d+)m\]\)$/;

  test('an alert is raised if no run of a scheduled function finishes for 30 minutes (for close-month: three hours), even if the function has never run', () => {
    const silent = files('alerts').filter(([name]) => name.startsWith('no-'));
    const minutes = silent.map(([, text]) => {
      const [{ conditionPrometheusQueryLanguage: promql }] = absence.parse(JSON.parse(text)).conditions;
      const [, run, window] = ABSENT.exec(promql.query) ?? [];
      return [run, Number(window) + Number.parseInt(promql.duration, 10) / 60];
    });
    expect(minutes).toEqual([
      ['close-month', 180],
      ['destroy-due-keys', 30],
      ['seal-audit', 30],
    ]);
    expect(minutes.map(([run]) => run)).toEqual(
      [...new Set(Object.values(SCHEDULES).map(({ calls }) => calls))].sort(),
    );
  });

  test('no alert uses conditionAbsent, which would not notice that a function has never run', () => {
    expect(files('alerts').filter(([, text]) => text.includes('conditionAbsent'))).toEqual([]);
  });
});

describe('overdue work of the scheduled functions', () => {
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

  test('an alert is raised if a key or unsealed rows are overdue by more than an hour, or an unclosed month by more than a day', () => {
    expect(longest).toEqual([
      ['destroy-due-keys', 3_600],
      ['close-month', 86_400],
      ['seal-audit', 3_600],
    ]);
  });

  test('each threshold of the alert about overdue work is a bucket boundary of the metric’s histogram', () => {
    const buckets = z.object({
      bucketOptions: z.object({ explicitBuckets: z.object({ bounds: z.array(z.number()) }) }),
    });
    const { bucketOptions } = buckets.parse(JSON.parse(metrics.find(([name]) => name === 'overdue')?.[1] ?? ''));
    for (const [, threshold] of longest) expect(bucketOptions.explicitBuckets.bounds).toContain(threshold);
  });
});

test('the alert about weakened protection is created only if the settings ask for it', () => {
  const alertsOf = (weakeningAlert: boolean) =>
    createAlerts({ ...EXAMPLE, weakeningAlert }).filter(({ what }) => what.startsWith('alert '));
  expect(EXAMPLE.weakeningAlert).toBe(false);
  expect(alertsOf(true)).toHaveLength(files('alerts').length);
  expect(alertsOf(false).map(({ what }) => what)).toEqual(
    alertsOf(true).flatMap(({ what }) => (what === 'alert encryption: weakened' ? [] : [what])),
  );
});

test('every metric is watched by at least one alert', () => {
  const alerts = files('alerts')
    .map(([, text]) => text)
    .join();
  const isWatched = (name: string) =>
    alerts.includes(`encryption/${name}\\"`) || alerts.includes(`:user_${promqlName(name)}{`);
  expect(metrics.filter(([name]) => !isWatched(name)).map(([name]) => name)).toEqual([]);
});
