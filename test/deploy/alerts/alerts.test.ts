import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { alertPolicy } from '../../../deploy/steps/monitoring.ts';
import { ROOT } from '../../sources.ts';
import { isInstalled } from '../../support/programs.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { EXAMPLE } from '../example.ts';
import { CASES, type PromSeries } from './cases.ts';
import { isRaised, matches } from './evaluate.ts';
import { POLICIES, type Promql } from './policy.ts';

const runbook = readFileSync(join(ROOT, 'docs/runbook.md'), 'utf8');
const HAS_PROMTOOL = isInstalled('promtool');

const conditions = [...POLICIES].flatMap(([name, { conditions }]) =>
  conditions.map((condition, at) => ({ name, title: condition.displayName, condition, sample: CASES[name]?.[at] })),
);

/** Returns the output of `promtool test rules`, which is empty if the alert is raised as expected. */
function promtool({ query, duration }: Promql, series: PromSeries, at: string, raised: boolean): string {
  const folder = temporaryFolder('promtool');
  const rules = { groups: [{ name: 'alerts', rules: [{ alert: 'tested', expr: query, for: duration }] }] };
  const tests = {
    rule_files: ['rules.yml'],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: Object.entries(series).map(([one, values]) => ({ series: one, values })),
        promql_expr_test: [
          {
            expr: 'count(ALERTS{alertstate="firing"}) > 0 or vector(0)',
            eval_time: at,
            exp_samples: [{ labels: '{}', value: raised ? 1 : 0 }],
          },
        ],
      },
    ],
  };
  // JSON is YAML.
  writeFileSync(join(folder, 'rules.yml'), JSON.stringify(rules));
  writeFileSync(join(folder, 'tests.yml'), JSON.stringify(tests));
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', 'tests.yml'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return status === 0 ? '' : `${stdout}${stderr}`;
}

test('every condition of every alert has a test, and every test has a condition', () => {
  const counts = [...POLICIES].map(([name, { conditions }]) => [name, conditions.length]);
  expect(Object.entries(CASES).map(([name, cases]) => [name, cases.length])).toEqual(counts);
});

describe.for(conditions)('the alert $name: $title', ({ condition, sample }) => {
  if ('conditionThreshold' in condition) {
    const { conditionThreshold } = condition;
    test('the alert is raised by a series that should raise it, and not by one that should not', () => {
      if (sample === undefined || !('fires' in sample)) throw new Error('no series');
      expect(isRaised(conditionThreshold, sample.fires)).toBe(true);
      expect(isRaised(conditionThreshold, sample.quiet)).toBe(false);
    });
  } else if ('conditionMatchedLog' in condition) {
    const { filter } = condition.conditionMatchedLog;
    test('the alert is raised by a log line that should raise it, and not by one that should not', () => {
      if (sample === undefined || !('logFires' in sample)) throw new Error('no log lines');
      expect(matches(filter, sample.logFires)).toBe(true);
      expect(matches(filter, sample.logQuiet)).toBe(false);
    });
  } else {
    const { conditionPrometheusQueryLanguage: promql } = condition;
    test.skipIf(!HAS_PROMTOOL)(
      'promtool: the alert is raised by series that should raise it, and not by others',
      () => {
        if (sample === undefined || !('promFires' in sample)) throw new Error('no series');
        expect(promtool(promql, sample.promFires, sample.at, true)).toBe('');
        expect(promtool(promql, sample.promQuiet, sample.at, false)).toBe('');
      },
    );
  }
});

describe.for([...POLICIES])('the runbook of the alert %s', ([name, { documentation }]) => {
  test('the alert names its section of the runbook in the repository', () => {
    expect(documentation.content).toMatch(new RegExp(` Runbook: \`docs/runbook\\.md#${name}\` in the repository\\.$`));
  });

  test('if the deployment publishes the documentation, the alert links to the section', () => {
    const file = `deploy/monitoring/alerts/${name}.json`;
    const { content } = JSON.parse(alertPolicy({ ...EXAMPLE, docs: true }, file)).documentation;
    expect(content).toMatch(new RegExp(` Runbook: https://console\\.example\\.com/docs/runbook\\.html#${name}\\.$`));
    expect(content).not.toMatch(/docs\/[\w-]+\.md/);
    expect(JSON.parse(alertPolicy(EXAMPLE, file)).documentation).toMatchObject(documentation);
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
  expect(sections).toEqual([...POLICIES.keys(), 'budget'].sort());
});
