import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { planDestruction } from '../../deploy/destroy.ts';
import { readContext } from '../../deploy/drift/drift.ts';
import { FUNCTION_NAMES } from '../../deploy/functions.ts';
import { ACTORS, accountEmail, serviceName } from '../../deploy/names.ts';
import { planDeployment } from '../../deploy/plan.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { EXAMPLE, gcloudWith, recordState, runDeploy, type State } from './recorded.ts';

const state = recordState(EXAMPLE);

function commandsFor(found: State, withKeys = false): string[] {
  const steps = planDestruction(readContext(EXAMPLE, gcloudWith(found)), withKeys);
  return steps.map(({ create }) => create.join(' '));
}

/** Returns the state after a command that deletes something. */
function apply(before: State, command: string): State {
  const words = command.split(' ');
  const option = (name: string) => words.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);
  const change = (list: (name: string) => boolean, by: (answer: object[]) => unknown): State =>
    Object.fromEntries(
      Object.entries(before).map(([name, answer]) => [name, list(name) && Array.isArray(answer) ? by(answer) : answer]),
    );
  if (command.includes('hosting:disable')) {
    const site = Object.keys(before).find((name) => name.includes('firebasehosting')) ?? '';
    return { ...before, [site]: { releases: [{ type: 'SITE_DISABLE' }] } };
  }
  const verb = words.findIndex((word) => ['delete', 'remove-iam-policy-binding', 'destroy'].includes(word));
  if (verb < 0) return before;
  const group = words.slice(1, verb).join(' ');
  const target = words[verb + 1] ?? option('database') ?? '';
  if (words[verb] === 'remove-iam-policy-binding') {
    const name = `${group} get-iam-policy ${/remove-iam-policy-binding (.*?) --member=/.exec(command)?.[1]}`;
    const policy = JSON.parse(JSON.stringify(before[name]));
    for (const one of policy.bindings)
      if (one.role === option('role'))
        one.members = one.members.filter((member: string) => member !== option('member'));
    return { ...before, [name]: policy };
  }
  if (words[verb] === 'destroy')
    return change(
      (name) => name.startsWith(`${group} list --key=${option('key')} `),
      (versions) =>
        versions.map((one) =>
          JSON.stringify(one).includes(`/${target}"`) ? { ...one, state: 'DESTROY_SCHEDULED' } : one,
        ),
    );
  // A resource is identified by its name, with or without the path before it, or by its email address.
  const wanted = target.startsWith('--') ? (option('database') ?? '') : target;
  return change(
    (name) => name.startsWith(`${group} list`),
    (all) => all.filter((one) => !JSON.stringify(one).match(new RegExp(`"(?:[^"]*/)?${RegExp.escape(wanted)}"`))),
  );
}

const commands = commandsFor(state);
const at = (pattern: RegExp) => commands.findIndex((command) => pattern.test(command));

test('every function, account, schedule, alert and metric of the deployment is deleted', () => {
  const deleted = (words: string) => commands.filter((command) => command.startsWith(`gcloud ${words} delete `)).length;
  const planned = (kind: string) => planDeployment(EXAMPLE).filter(({ what }) => what.startsWith(`${kind} `)).length;
  expect(deleted('run services')).toBe(FUNCTION_NAMES.length);
  expect(deleted('iam service-accounts')).toBe(ACTORS.length);
  expect(deleted('scheduler jobs')).toBe(planned('schedule'));
  expect(deleted('alpha monitoring policies')).toBe(planned('alert'));
  expect(deleted('logging metrics')).toBe(planned('metric'));
  expect(deleted('api-gateway api-configs')).toBe(3);
});

test('the schedules and the gateway go first, and the database goes last', () => {
  expect(at(/scheduler jobs delete/)).toBe(0);
  expect(at(/gateways delete/)).toBeLessThan(at(/api-configs delete/));
  expect(at(/api-configs delete/)).toBeLessThan(at(/apis delete/));
  expect(at(/apis delete/)).toBeLessThan(at(/run services delete/));
  expect(commands.slice(-2)).toEqual([
    'gcloud firestore databases update --database=(default) --no-delete-protection',
    'gcloud firestore databases delete --database=(default)',
  ]);
});

test('grants on the project and on keys are removed before their accounts, because they would stay', () => {
  const removals = commands.filter((command) => command.includes('remove-iam-policy-binding'));
  expect(removals.filter((command) => /^gcloud (projects|kms) /.test(command))).toEqual(removals);
  expect(removals).toContainEqual(expect.stringContaining(`--member=serviceAccount:${accountEmail(EXAMPLE, 'keys')}`));
  expect(commands.findLastIndex((command) => command.includes('remove-iam'))).toBeLessThan(
    at(/service-accounts delete/),
  );
});

test('without --keys, no version of a key is destroyed; with --keys, every version that is not destroyed yet', () => {
  expect(commands.filter((command) => command.startsWith('gcloud kms keys versions'))).toEqual([]);
  const destroyed = commandsFor(state, true).filter((command) =>
    command.startsWith('gcloud kms keys versions destroy'),
  );
  expect(destroyed.map((command) => command.split(' ').slice(5, 7).join(' '))).toEqual([
    '2 --key=of-a-tenant',
    '1 --key=wrapped-root',
    '1 --key=audit-signing',
  ]);
});

test.for(['GENERATION_FAILED', 'IMPORT_FAILED'])(
  'a version in the state %s cannot be destroyed, and is left out',
  (ended) => {
    const name = 'kms keys versions list --key=of-a-tenant --keyring=encryption-tenants --location=us-central1';
    const found = JSON.parse(JSON.stringify(state[name]).replace('ENABLED', ended));
    expect(commandsFor({ ...state, [name]: found }, true).join('\n')).not.toContain('--key=of-a-tenant');
  },
);

test('nothing that belongs to others is deleted, such as images of other services in the shared repository', () => {
  expect(commands.join('\n')).not.toMatch(/compute@developer|another-project|user:|of-another-service/);
  expect(commands.filter((command) => command.startsWith('gcloud artifacts'))).toEqual(
    [...FUNCTION_NAMES.map(serviceName), 'decision-point'].map(
      (name) => `gcloud artifacts packages delete ${name} --repository=cloud-run-source-deploy --location=us-central1`,
    ),
  );
});

test('an image repository that has only images of the deployment is deleted', () => {
  const name = 'artifacts packages list --repository=cloud-run-source-deploy --location=us-central1';
  const own = [state[name]].flat().filter((one) => !JSON.stringify(one).includes('of-another-service'));
  expect(commandsFor({ ...state, [name]: own }).filter((command) => command.startsWith('gcloud artifacts'))).toEqual([
    'gcloud artifacts repositories delete cloud-run-source-deploy --location=us-central1',
  ]);
});

test('only the notification channel of the deployment is deleted, and not while an alert of others uses it', () => {
  const channelSteps = (found: State) =>
    planDestruction(readContext(EXAMPLE, gcloudWith(found)), false)
      .filter(({ what }) => what === 'notification channel')
      .map(({ create }) => create.join(' '));
  const own = 'projects/acme-encryption/notificationChannels/1';
  expect(channelSteps(state)).toEqual([`gcloud beta monitoring channels delete ${own}`]);
  const name = 'alpha monitoring policies list';
  const foreign = { name: 'projects/acme-encryption/alertPolicies/x', displayName: 'x', notificationChannels: [own] };
  expect(channelSteps({ ...state, [name]: [state[name], foreign].flat() })).toEqual([
    'echo It stays, because alerts of others use it.',
  ]);
});

test('a run deletes everything, and a second run finds nothing to delete', () => {
  const { status, changes } = runDeploy(state, ['--destroy', '--keys'], `${EXAMPLE.project}\n`, true);
  expect(status).toBe(0);
  expect(changes).toEqual(commandsFor(state, true).map((command) => command.replaceAll('"', '')));
  const after = changes.reduce(apply, state);
  expect(commandsFor(after, true)).toEqual([]);
  for (const other of ['compute@developer', 'another-project', 'user:owner@', 'of-another-service'])
    expect(JSON.stringify(after)).toContain(other);
});

test('in an empty project, there is nothing to delete', () => {
  const empty = { 'services list --enabled': [], 'iam service-accounts list': [] };
  expect(commandsFor({ ...empty, [`projects get-iam-policy ${EXAMPLE.project}`]: {} }, true)).toEqual([]);
});

test('without the project’s ID as an answer, nothing is deleted; the question says what cannot be undone', () => {
  for (const answer of ['', 'yes\n']) {
    const { status, stderr } = runDeploy(state, ['--destroy'], answer);
    expect(status).toBe(1);
    expect(stderr).toContain('Cannot be undone:\n- The database is deleted');
    expect(stderr).toContain('deploy: nothing was deleted\n');
  }
});

test('a deletion that fails prints the command that continues it, with all its options', () => {
  const file = join(temporaryFolder('destroy'), "it's $HOME.json");
  writeFileSync(file, JSON.stringify(EXAMPLE));
  const options = ['--destroy', '--keys', '--deployment', file];
  // The recorded gcloud answers no command that deletes, so the first deletion fails.
  const { status, stdout, stderr } = runDeploy(state, options, `${EXAMPLE.project}\n`);
  expect(status).not.toBe(0);
  expect(stdout).toBe('== schedule encryption-destroy-due-keys\n');
  expect(stderr).toContain('With --keys, all versions of all keys are destroyed too');
  const [, again = ''] = /then run npm run deploy -- (.*) again\.$/m.exec(stderr) ?? [];
  const words = spawnSync('bash', ['-c', `printf '%s\\n' ${again}`], { encoding: 'utf8' }).stdout.split('\n');
  expect(words.slice(-1 - options.length, -1)).toEqual(options);
});
