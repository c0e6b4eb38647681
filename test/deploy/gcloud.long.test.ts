import { execFile, spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { planDestruction } from '../../deploy/destroy.ts';
import { readContext } from '../../deploy/drift/drift.ts';
import { gatewayConfigs } from '../../deploy/gateway.ts';
import { createPipeline } from '../../deploy/pipeline/steps.ts';
import { planDeployment } from '../../deploy/plan.ts';
import { renderScript } from '../../deploy/script.ts';
import type { Command } from '../../deploy/step.ts';
import { monitoringFiles } from '../../deploy/steps/monitoring.ts';
import { createStore } from '../../deploy/steps/store.ts';
import { listen, portOf } from '../../emulators/base/listen.ts';
import { ROOT } from '../sources.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { DOMAIN, EXAMPLE, gcloudWith, recordState, WITHOUT_CONSOLE } from './recorded.ts';

const info = ['info', '--format=value(basic.python_location,installation.sdk_root)'];
const found = spawnSync('gcloud', info, { encoding: 'utf8' });
/** Without the Google Cloud CLI, both are empty. */
const [python = '', sdk = ''] = found.status === 0 ? found.stdout.trim().split('\t') : [];

/** Returns the commands that gcloud’s argument parser refuses, each with the error. Does not run the commands. */
function refused(commands: readonly Command[]): string[] {
  const input = commands.map(([, ...words]) => `${JSON.stringify(words)}\n`).join('');
  const parser = [join(ROOT, 'test/deploy/gcloud-parser.py'), sdk];
  const parsed = spawnSync(python, parser, { cwd: ROOT, input, encoding: 'utf8' });
  const errors = parsed.stdout.split('\n').slice(0, -1);
  if (errors.length !== commands.length) throw new Error(`the parser of gcloud broke: ${parsed.stderr}`);
  return commands.flatMap((command, at) => (errors[at] === '""' ? [] : [`${command.join(' ')}: ${errors[at]}`]));
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

const WRONG = [
  ['run', 'publish', 'no-such-command'],
  ['run', 'deploy', 'x', '--no-such-flag=80'],
  ['run', 'deploy', 'x', '--memory=1Gi', '--container=flag-of-a-container', '--image=b'],
  ['run', 'deploy', 'x', '--ingress=no-such-value'],
  ['firestore', 'databases', 'create', '--database=required-flag-missing'],
  ['logging', 'metrics', 'create', 'x', '--config-from-file=no-such-file.json'],
  ['secrets', 'describe', 'x', 'one-word-too-many'],
];

describe.skipIf(sdk === '')('gcloud', () => {
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
      .flatMap((step) => {
        if ('test' in step) return [];
        return 'read' in step ? [step.read] : [step.find, 'create' in step ? step.create : undefined, step.update];
      })
      .flatMap((command = []) => [command.map((word) => word.replaceAll(/\$CLOSED(_BEFORE)?/g, 'true'))]);
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
    expect(refused(WRONG.map((words) => ['gcloud', ...words]))).toHaveLength(WRONG.length);
  });
});

/** Returns an answer to a Google API call that lets firebase-tools continue. */
function answerTo(path: string, requestBody: string): unknown {
  if (path.endsWith('/token')) return { access_token: 'token', expires_in: 3_600 };
  if (path.endsWith(':testIamPermissions')) return JSON.parse(requestBody);
  if (path.includes('/services/')) return { state: 'ENABLED' };
  return path.endsWith('/rulesets') ? { name: 'projects/p/rulesets/r' } : {};
}

test('firebase-tools names the quota project in every call, because Google refuses a person’s Firestore calls without a quota project', async () => {
  const calls: [path: string, quotaProject: IncomingHttpHeaders[string]][] = [];
  const google = createServer(async (request, response) => {
    const { url: path = '', headers } = request;
    const requestBody = await text(request);
    if (!path.endsWith('/token')) calls.push([path, headers['x-goog-user-project']]);
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answerTo(path, requestBody)));
  });
  onTestFinished(() => void google.close());
  await listen(google, 0);
  const url = `http://127.0.0.1:${portOf(google)}`;
  const env = {
    ...{ PATH: process.env.PATH, HOME: temporaryFolder('quota-project'), FIREBASE_TOKEN: 'of a person' },
    ...{ FIREBASE_TOKEN_URL: url, FIREBASE_RESOURCEMANAGER_URL: url, FIREBASE_SERVICE_USAGE_URL: url },
    ...{ FIREBASE_RULES_URL: url, FIRESTORE_URL: url },
  };
  const steps = createStore(EXAMPLE).filter(({ create }) => create.includes('firebase'));
  await promisify(execFile)('bash', ['-c', renderScript(EXAMPLE, steps)], { cwd: ROOT, env });
  const paths = calls.map(([path]) => path).join();
  expect(paths).toMatch(/\/indexes/);
  expect(paths).toMatch(/\/releases\/cloud\.firestore/);
  expect(calls.filter(([, project]) => project !== EXAMPLE.project)).toEqual([]);
});
