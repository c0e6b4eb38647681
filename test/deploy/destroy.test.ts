import { describe, expect, test } from 'vitest';
import { planDestruction } from '../../deploy/destroy.ts';
import { readContext } from '../../deploy/drift/drift.ts';
import { FUNCTION_NAMES } from '../../deploy/functions.ts';
import { ACTORS, accountEmail } from '../../deploy/names.ts';
import { planDeployment } from '../../deploy/plan.ts';
import { EXAMPLE } from './example.ts';
import { gcloudWith, runDeploy } from './recorded-gcloud.ts';
import { recordState, type State } from './recorded-state.ts';

const state = recordState(EXAMPLE);

function commandsFor(found: State, withKeys = false): string[] {
  const steps = planDestruction(readContext(EXAMPLE, gcloudWith(found)), withKeys);
  return steps.map(({ create }) => create.join(' '));
}

describe('npm run deploy -- --destroy', () => {
  const commands = commandsFor(state);
  const at = (pattern: RegExp) => commands.findIndex((command) => pattern.test(command));

  test('every function, account, schedule, alert and metric of the deployment is deleted', () => {
    const deleted = (words: string) =>
      commands.filter((command) => command.startsWith(`gcloud ${words} delete `)).length;
    expect({
      functions: deleted('run services'),
      accounts: deleted('iam service-accounts'),
      schedules: deleted('scheduler jobs'),
      alerts: deleted('alpha monitoring policies'),
      metrics: deleted('logging metrics'),
      configurations: deleted('api-gateway api-configs'),
    }).toEqual({
      functions: FUNCTION_NAMES.length,
      accounts: ACTORS.length,
      schedules: planDeployment(EXAMPLE).filter(({ what }) => what.startsWith('schedule ')).length,
      alerts: planDeployment(EXAMPLE).filter(({ what }) => what.startsWith('alert ')).length,
      metrics: planDeployment(EXAMPLE).filter(({ what }) => what.startsWith('metric ')).length,
      configurations: 3,
    });
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
    expect(removals).toContainEqual(
      expect.stringContaining(`--member=serviceAccount:${accountEmail(EXAMPLE, 'keys')}`),
    );
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

  test('nothing that belongs to others is deleted', () => {
    expect(commands.join('\n')).not.toMatch(/compute@developer|another-project|user:/);
  });

  test('in an empty project, there is nothing to delete', () => {
    const empty = {
      'services list --enabled': [],
      'iam service-accounts list': [],
      [`projects get-iam-policy ${EXAMPLE.project}`]: {},
    };
    expect(commandsFor(empty, true)).toEqual([]);
  });

  test('without the project’s ID as an answer, nothing is deleted; the question says what cannot be undone', () => {
    for (const answer of ['', 'yes\n']) {
      const { status, stderr } = runDeploy(state, ['--destroy'], answer);
      expect(status).toBe(1);
      expect(stderr).toContain('Cannot be undone:\n- The database is deleted');
      expect(stderr).toContain('deploy: nothing was deleted\n');
    }
  });

  test('with the project’s ID as an answer, the deletion starts with the schedules', () => {
    // The recorded gcloud answers no command that deletes, so the first deletion fails.
    const { status, stdout, stderr } = runDeploy(state, ['--destroy', '--keys'], `${EXAMPLE.project}\n`);
    expect(status).not.toBe(0);
    expect(stdout).toBe('== schedule encryption-destroy-due-keys\n');
    expect(stderr).toContain('With --keys, all versions of all keys are destroyed too');
    expect(stderr).toContain('then run npm run deploy -- --destroy --keys again.');
  });

  test('--keys without --destroy is refused, so that nobody thinks that it deploys', () => {
    expect(runDeploy({}, ['--keys'])).toMatchObject({ status: 2, stderr: 'deploy: --keys needs --destroy\n' });
  });
});
