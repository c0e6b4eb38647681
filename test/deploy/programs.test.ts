import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { LOGGED } from '../../deploy/data-access.ts';
import { ROOT } from '../sources.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder('programs');
});

/**
 * Runs a program of a deployment with a stand-in for gcloud and npx. The stand-in prints `answer` to the command that
 * begins with `asked`. It records other commands, and what is piped into them. Returns these records.
 */
function run(program: string, args: readonly string[], asked: string, answer: string) {
  const standIn = `#!/bin/bash
[[ "\${0##*/} $*" == "${asked}"* ]] && { echo '${answer}'; exit; }
echo "\${0##*/} $*" >> ${folder}/commands
[[ "$*" == *set-iam-policy* ]] && cat "$4" > ${folder}/piped || cat > ${folder}/piped
`;
  for (const name of ['gcloud', 'npx']) writeFileSync(join(folder, name), standIn, { mode: 0o755 });
  const env = { PATH: `${folder}:${process.env.PATH}` };
  execFileSync(process.execPath, [join(ROOT, 'deploy', program), ...args], { env, stdio: 'pipe' });
  const read = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '');
  return { commands: read('commands'), piped: read('piped') };
}

describe('the load balancer’s secret', () => {
  test('the secret is random, is long enough for the service, and appears on no command line', () => {
    const make = () => run('balancer-secret.ts', ['--secret=balancer-secret'], 'nothing', '');
    const [one, other] = [make(), make()];
    expect(one.piped).toMatch(/^[\w-]{43}$/);
    expect(one.piped).not.toBe(other.piped);
    expect(one.commands).toBe('gcloud secrets create balancer-secret --replication-policy=automatic --data-file=-\n');
  });

  test('the balancer sends the newest of several secrets, which appears on no command line', () => {
    const args = ['--project=p', '--region=r', '--name=encryption-api', '--secret=balancer-secret'];
    const { commands, piped } = run('backend-service.ts', args, 'gcloud secrets versions access', 'old,new');
    expect(commands).toBe('gcloud compute backend-services import encryption-api --global --quiet\n');
    expect(JSON.parse(piped)).toMatchObject({
      loadBalancingScheme: 'EXTERNAL_MANAGED',
      customRequestHeaders: ['X-Balancer-Secret:new'],
      backends: [{ group: expect.stringContaining('/projects/p/regions/r/networkEndpointGroups/encryption-api') }],
    });
  });
});

describe('Firebase in the project', () => {
  const list = (...projects: string[]) => JSON.stringify({ result: projects.map((projectId) => ({ projectId })) });
  const add = (...projects: string[]) =>
    run('add-firebase.ts', ['--project=acme'], 'npx firebase projects:list', list(...projects)).commands;

  test('Firebase is added only to a project that does not have it', () => {
    expect(add('other', 'acme')).toBe('');
    expect(add('other')).toBe('npx firebase projects:addfirebase acme --non-interactive\n');
  });
});

describe('Data Access logs', () => {
  const turnOn = (policy: unknown) =>
    run('audit-logs.ts', ['--project=acme'], 'gcloud projects get-iam-policy', JSON.stringify(policy));

  test('a policy without the logs is replaced by the same policy with them, including its etag', () => {
    const { commands, piped } = turnOn({ etag: 'abc', bindings: [] });
    expect(commands).toMatch(/^gcloud projects set-iam-policy acme \S+policy\.json --format=none\n$/);
    expect(JSON.parse(piped)).toMatchObject({
      etag: 'abc',
      auditConfigs: [{ service: 'cloudkms.googleapis.com' }, {}],
    });
  });

  test('a policy with the logs is not replaced', () => {
    const auditConfigs = Object.entries(LOGGED).map(([service, types]) => ({
      service,
      auditLogConfigs: types.map((logType) => ({ logType })),
    }));
    expect(turnOn({ auditConfigs }).commands).toBe('');
  });
});
