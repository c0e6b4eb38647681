import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ALERTS } from '../../deploy/monitoring/alerts.ts';
import { METRICS } from '../../deploy/monitoring/metrics.ts';
import { SCHEDULES } from '../../deploy/schedules.ts';
import { ALERT, alertPolicies, createAlerts } from '../../deploy/steps/monitoring.ts';
import { EVENTS } from '../../shared/events.ts';
import { ROOT, sources } from '../sources.ts';
import { isInstalled } from '../support/programs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { CASES, isRaised, matches, type PromSeries } from './alert-cases.ts';
import { EXAMPLE } from './recorded.ts';

const runbook = readFileSync(join(ROOT, 'docs/runbook.md'), 'utf8');
const deployed = [...sources].filter(([file]) => /^(shared|functions)\//.test(file)).map(([, source]) => source);
const severities = new Map<string, string>(Object.entries(EVENTS));
const scheduled = [...new Set(Object.values(SCHEDULES).map(({ calls }) => calls))].sort();

/** Returns the output of `promtool test rules`, which is empty if the alert is raised as expected. */
function promtool(rule: { query: string; duration: string }, series: PromSeries, at: string, raised: boolean): string {
  const folder = temporaryFolder('promtool');
  const alert = { alert: 'tested', expr: rule.query, for: rule.duration };
  const expr = 'count(ALERTS{alertstate="firing"}) > 0 or vector(0)';
  const promql_expr_test = [{ expr, eval_time: at, exp_samples: [{ labels: '{}', value: raised ? 1 : 0 }] }];
  const input_series = Object.entries(series).map(([one, values]) => ({ series: one, values }));
  const tests = [{ interval: '1m', input_series, promql_expr_test }];
  // JSON is YAML.
  const write = (name: string, content: object) => writeFileSync(join(folder, name), JSON.stringify(content));
  write('rules.yml', { groups: [{ name: 'alerts', rules: [alert] }] });
  write('tests.yml', { rule_files: ['rules.yml'], evaluation_interval: '1m', tests });
  const run = spawnSync('promtool', ['test', 'rules', 'tests.yml'], { cwd: folder, encoding: 'utf8' });
  return run.status === 0 ? '' : `${run.stdout}${run.stderr}`;
}

test('every condition of every alert has a case, and every case has a condition', () => {
  const counts = Object.entries(ALERTS).map(([name, { conditions }]) => [name, conditions.length]);
  expect(Object.entries(CASES).map(([name, cases]) => [name, cases.length])).toEqual(counts);
});

const conditions = Object.entries(ALERTS).flatMap(([name, alert]) =>
  alert.conditions.map((condition, at) => [name, condition.displayName, condition, CASES[name]?.[at]] as const),
);
test.for(conditions)('the alert %s (%s) is raised by its data only', ([, , condition, sample], { skip }) => {
  if ('conditionThreshold' in condition) {
    if (sample === undefined || !('fires' in sample)) throw new Error('no series');
    expect(isRaised(condition.conditionThreshold, sample.fires)).toBe(true);
    expect(isRaised(condition.conditionThreshold, sample.quiet)).toBe(false);
  } else if ('conditionMatchedLog' in condition) {
    if (sample === undefined || !('logFires' in sample)) throw new Error('no log lines');
    expect(matches(condition.conditionMatchedLog.filter, sample.logFires)).toBe(true);
    expect(matches(condition.conditionMatchedLog.filter, sample.logQuiet)).toBe(false);
  } else {
    if (sample === undefined || !('promFires' in sample)) throw new Error('no series');
    skip(!isInstalled('promtool'), 'promtool is not installed');
    const rule = condition.conditionPrometheusQueryLanguage;
    expect(promtool(rule, sample.promFires, sample.at, true)).toBe('');
    expect(promtool(rule, sample.promQuiet, sample.at, false)).toBe('');
  }
});

describe.for(Object.keys(ALERTS))('the runbook of the alert %s', (name) => {
  test('the alert names its section in the repository or, if the deployment publishes the documentation, links to it', () => {
    const contentOf = (docs: boolean) =>
      alertPolicies({ ...EXAMPLE, weakeningAlert: true, docs }).find(({ displayName }) => displayName === ALERT + name)
        ?.documentation.content;
    expect(contentOf(false)).toMatch(new RegExp(` Runbook: \`docs/runbook\\.md#${name}\` in the repository\\.$`));
    const link = ` Runbook: https://console.example.com/docs/runbook.html#${name}.`;
    expect(contentOf(true)?.endsWith(link)).toBe(true);
    expect(contentOf(true)).not.toMatch(/docs\/[\w-]+\.md/);
  });

  test('the section says what the alert means, what to look at, and what to do', () => {
    const [, section = ''] = runbook.split(`\n## ${name}\n`);
    const [own = ''] = section.split('\n## ');
    expect([...own.matchAll(/^- \*\*(.+?):\*\* \S/gm)].map(([, part]) => part)).toEqual(['Means', 'Look at', 'Do']);
  });
});

test('the runbook has sections only for alerts that exist and the budget, in alphabetical order', () => {
  const sections = [...runbook.matchAll(/^## (.+)$/gm)].map(([, name]) => name);
  // Google sends the messages of the budget, which have no text of ours.
  expect(sections).toEqual([...Object.keys(ALERTS), 'budget'].sort());
});

/** The messages that a metric’s filter selects. */
function messagesOf(filter: string): string[] {
  const [, asked = ''] = /jsonPayload\.message=(\([^)]*\)|"[^"]*")/.exec(filter) ?? [];
  return [...asked.matchAll(/"([^"]+)"/g)].map(([, message = '']) => message);
}

const onServiceLogs = Object.entries(METRICS).filter(([, { filter }]) => filter.includes('jsonPayload.message'));
describe.for(onServiceLogs)('the metric %s', ([, metric]) => {
  const { filter, labelExtractors = {} } = metric;

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
    expect([...new Set(labels)].sort()).toEqual(scheduled);
  });

  test('the metric reads only fields that the service logs, and reasons that the service gives', () => {
    const reasons = [...filter.matchAll(/jsonPayload\.reason="([^"]+)"/g)].map(([, reason]) => `reason: '${reason}'`);
    expect(reasons.filter((reason) => !deployed.some((source) => source.includes(reason)))).toEqual([]);
    const loggers = deployed.filter((source) => /\blog\.write\(/.test(source));
    const read = [...JSON.stringify(metric).matchAll(/jsonPayload\.(\w+)/g)].map(([, field]) => field);
    const isLogged = (field: string | undefined) =>
      loggers.some((source) => new RegExp(`[ {]${field}: `, 'm').test(source));
    expect([...new Set(read)].filter((field) => field !== 'message' && !isLogged(field))).toEqual([]);
  });
});

test('the text of an alert names only events of the catalogue', () => {
  const quoted = Object.values(ALERTS).flatMap(({ text }) =>
    [...text.matchAll(/`([^`]*)`/g)].map(([, words = '']) => words),
  );
  expect(quoted.filter((words) => words.includes(' ') && !severities.has(words))).toEqual([]);
});

test('the alerts watch every metric, and none that does not exist', () => {
  const alerts = Object.values(ALERTS).flatMap((alert) => alert.conditions.map((one) => Object.values(one)[1]));
  const named = /logging\.googleapis\.com\/user\/encryption\/([\w-]+)|logging_googleapis_com:user_encryption_(\w+)/g;
  const watched = [...JSON.stringify(alerts).matchAll(named)].map(
    ([, one, promql = '']) => one ?? promql.replaceAll('_', '-'),
  );
  expect([...new Set(watched)].sort()).toEqual(Object.keys(METRICS).sort());
});

test('an alert is raised if no run of a scheduled function finishes for 30 minutes (for close-month: three hours), even if the function has never run', () => {
  const absent = /^absent_over_time\(.*,run="([\w-]+)"\}\[(\d+)m\]\)$/;
  const minutes = Object.values(ALERTS).flatMap((alert) =>
    alert.conditions.flatMap((one) => {
      if (!('conditionPrometheusQueryLanguage' in one)) return [];
      const { query, duration } = one.conditionPrometheusQueryLanguage;
      const [, run, window] = absent.exec(query) ?? [];
      return run === undefined ? [] : [[run, Number(window) + Number.parseInt(duration, 10) / 60] as const];
    }),
  );
  expect(minutes).toEqual([
    ['close-month', 180],
    ['destroy-due-keys', 30],
    ['seal-audit', 30],
  ]);
  expect(minutes.map(([run]) => run)).toEqual(scheduled);
  expect(JSON.stringify(ALERTS)).not.toContain('conditionAbsent');
});

test('each threshold of the alert about overdue work is a bucket boundary of the metric’s histogram', () => {
  const buckets = z.object({ explicitBuckets: z.object({ bounds: z.array(z.number()) }) });
  const { bounds } = buckets.parse(METRICS.overdue?.bucketOptions).explicitBuckets;
  const thresholds = ALERTS.overdue?.conditions.map(
    (one) => 'conditionThreshold' in one && one.conditionThreshold.thresholdValue,
  );
  expect(bounds).toEqual(expect.arrayContaining(thresholds ?? [Number.NaN]));
});

test('the alert about weakened protection is created only if the settings ask for it', () => {
  const alertsOf = (weakeningAlert: boolean) =>
    createAlerts({ ...EXAMPLE, weakeningAlert }).filter(({ what }) => what.startsWith('alert '));
  expect(EXAMPLE.weakeningAlert).toBe(false);
  expect(alertsOf(true)).toHaveLength(Object.keys(ALERTS).length);
  expect(alertsOf(false).map(({ what }) => what)).toEqual(
    alertsOf(true).flatMap(({ what }) => (what === 'alert encryption: weakened' ? [] : [what])),
  );
});
