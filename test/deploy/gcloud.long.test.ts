import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { planDestruction } from '../../deploy/destroy.ts';
import { readContext } from '../../deploy/drift/drift.ts';
import { gatewayConfigs } from '../../deploy/gateway.ts';
import { createPipeline } from '../../deploy/pipeline/steps.ts';
import { planDeployment } from '../../deploy/plan.ts';
import type { Command } from '../../deploy/step.ts';
import { monitoringFiles } from '../../deploy/steps/monitoring.ts';
import { ROOT } from '../sources.ts';
import { EXAMPLE, WITHOUT_CONSOLE } from './example.ts';
import { HAS_GCLOUD, refusals } from './gcloud-cli.ts';
import { gcloudWith } from './recorded-gcloud.ts';
import { recordState } from './recorded-state.ts';

/** The commands that gcloud refuses, each with the error. */
function refused(commands: readonly Command[]): string[] {
  const errors = refusals(commands);
  return commands.flatMap((command, at) => (errors[at] ? [`${command.join(' ')}: ${errors[at]}`] : []));
}

/** The gcloud commands in a page’s shell blocks. A backslash joins lines. */
function commandsOf(page: string): Command[] {
  const blocks = [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^```sh\n(.*?)^```/gms)].map(
    ([, block = '']) => block,
  );
  const lines = blocks.flatMap((block) => block.replaceAll(/\\\n\s*/g, '').split('\n'));
  return lines
    .flatMap((line) => /(?:^|\$\(|\| )(gcloud (?:[^|#>)"']|"[^"]*"|'[^']*')*)/.exec(line)?.[1] ?? [])
    .map((line) => [...line.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) => word.replaceAll(/["']/g, '')));
}

const DOMAIN = { ...EXAMPLE, apiOrigin: 'https://api.example.com' };

const WRONG = [
  ['run', 'publish', 'no-such-command'],
  ['run', 'deploy', 'x', '--no-such-flag=80'],
  ['run', 'deploy', 'x', '--memory=1Gi', '--container=flag-of-a-container', '--image=b'],
  ['run', 'deploy', 'x', '--ingress=no-such-value'],
  ['firestore', 'databases', 'create', '--database=required-flag-missing'],
  ['logging', 'metrics', 'create', 'x', '--config-from-file=no-such-file.json'],
  ['secrets', 'describe', 'x', 'one-word-too-many'],
];

describe.skipIf(!HAS_GCLOUD)('gcloud', () => {
  test.for([
    ['with console and billing', EXAMPLE],
    ['without console and billing', WITHOUT_CONSOLE],
    ['with a domain', DOMAIN],
  ] as const)('gcloud accepts every command of a deployment %s', ([, deployment]) => {
    mkdirSync(join(ROOT, 'dist/monitoring'), { recursive: true });
    for (const { file, text } of [...gatewayConfigs(deployment), ...monitoringFiles(deployment)])
      writeFileSync(join(ROOT, file), text);
    const steps = (['deploy and open', 'close'] as const)
      .flatMap((run) => planDeployment(deployment, run))
      .flatMap((step) => ('test' in step ? [...step.undo, ...step.otherwise] : [step]));
    const commands = steps
      .flatMap((step) =>
        'test' in step
          ? []
          : 'read' in step
            ? [step.read]
            : [step.find, 'create' in step ? step.create : undefined, step.update],
      )
      .flatMap((command) =>
        command === undefined ? [] : [command.map((word) => word.replaceAll(/\$CLOSED(_BEFORE)?/g, 'true'))],
      );
    expect(refused(commands.filter(([program]) => program === 'gcloud'))).toEqual([]);
  });

  test('gcloud accepts every command of a check, a teardown and a pipeline', () => {
    const state = recordState(DOMAIN);
    const reads = Object.keys(state)
      .filter((command) => !command.startsWith('--fail'))
      .map((command) => ['gcloud', ...command.split(' '), '--format=json']);
    const deletions = planDestruction(readContext(DOMAIN, gcloudWith(state)), true).map(({ create }) => create);
    const pipeline = createPipeline(DOMAIN, { repository: 'a/b', environment: 'production' }).flatMap(
      ({ find, create, update }) => [find, create, update].filter((command) => command !== undefined),
    );
    expect(refused([...reads, ...deletions, ...pipeline].filter(([program]) => program === 'gcloud'))).toEqual([]);
  });

  test('gcloud accepts every command in the docs', () => {
    const commands = globSync('docs/{deploy,operate,runbook,upkeep}.md', { cwd: ROOT }).flatMap(commandsOf);
    expect(commands.length).toBeGreaterThan(10);
    expect(refused(commands)).toEqual([]);
  });

  test('gcloud refuses invalid commands', () => {
    const errors = refusals(WRONG.map((words) => ['gcloud', ...words]));
    expect(WRONG.filter((_words, at) => errors[at] === '')).toEqual([]);
  });
});
