import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { fetchDigest, pinBaseImage, readBaseImage } from '../../deploy/base-image.ts';
import { listen, portOf } from '../../emulators/base/listen.ts';
import { readConfig } from '../../shared/config.ts';
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
function run(program: string, args: readonly string[], asked: string, answer: string, more = {}) {
  const standIn = `#!/bin/bash
[[ "\${0##*/} $*" == "${asked}"* ]] && { echo '${answer}'; exit; }
echo "\${0##*/} $*" >> ${folder}/commands
[[ "$*" == *set-iam-policy* ]] && cat "$4" > ${folder}/piped || cat > ${folder}/piped
`;
  for (const name of ['gcloud', 'npx']) writeFileSync(join(folder, name), standIn, { mode: 0o755 });
  const env = { PATH: `${folder}:${process.env.PATH}`, ...more };
  execFileSync(process.execPath, [join(ROOT, 'deploy', program), ...args], { env, stdio: 'pipe' });
  const read = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '');
  return { commands: read('commands'), piped: read('piped') };
}

test('the secret is random, is long enough for the service, and appears on no command line', () => {
  const make = () => run('balancer-secret.ts', ['--secret=balancer-secret'], 'nothing', '');
  const [one, other] = [make(), make()];
  expect(one.piped).toMatch(/^[\w-]{43}$/);
  expect(one.piped).not.toBe(other.piped);
  expect(one.commands).toBe('gcloud secrets create balancer-secret --replication-policy=automatic --data-file=-\n');
});

test('the canary is created in the deployment’s project, and the variables of the shell do not change that', () => {
  const provision = `
if (process.argv[1].endsWith('provision.ts')) {
  require('node:fs').writeFileSync('${folder}/environment', JSON.stringify(process.env));
  process.stdout.write('{"api_key":"token"}');
  process.exit(0);
}`;
  writeFileSync(join(folder, 'provision.cjs'), provision);
  const shell = { STRIPE_SECRET_KEY: 'sk', FIRESTORE_EMULATOR_HOST: 'localhost:1', IDENTITY_ISSUER: 'https://x' };
  const args = ['--project=p', '--key-ring=projects/p/locations/r/keyRings/k', '--secret=smoke'];
  const more = { ...shell, NODE_OPTIONS: `--require=${folder}/provision.cjs` };
  expect(run('canary.ts', args, 'nothing', '', more).piped).toBe('token');
  const config = readConfig(JSON.parse(readFileSync(join(folder, 'environment'), 'utf8')));
  expect(config).toMatchObject({ project: 'p', keyRing: 'projects/p/locations/r/keyRings/k' });
  expect([config.billing, config.firestoreEmulatorHost, config.identity]).toEqual([undefined, undefined, undefined]);
});

/** Starts an HTTP proxy that reaches nothing. Returns its URL and the hosts that clients asked for. */
async function startProxy() {
  const hosts = new Set<string>();
  const proxy = createServer(({ headers }, response) => {
    hosts.add(headers.host ?? '');
    response.writeHead(502).end();
  });
  proxy.on('connect', ({ url = '' }, socket) => {
    hosts.add(url);
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  onTestFinished(() => void proxy.close());
  await listen(proxy, 0);
  return { url: `http://127.0.0.1:${portOf(proxy)}`, hosts };
}

test('the smoke test reaches the service through the proxy that gcloud uses', async () => {
  const { url, hosts } = await startProxy();
  // Once a week, npm asks the registry for its own updates.
  const npm = { npm_config_update_notifier: 'false' };
  const env = { PATH: process.env.PATH, ...npm, HTTPS_PROXY: url, SMOKE_API_KEY: 'token' };
  const smoke = ['run', '--silent', 'smoke', '--', 'https://service.invalid', '--patience', '0'];
  await expect(promisify(execFile)('npm', smoke, { cwd: ROOT, env })).rejects.toMatchObject({ code: 1 });
  expect([...hosts]).toEqual(['service.invalid:443']);
});

test('in the docs, programs that call the service or a registry follow the proxy', () => {
  const lines = globSync('docs/*.md', { cwd: ROOT }).flatMap((page) =>
    readFileSync(join(ROOT, page), 'utf8')
      .split('\n')
      .filter((line) => /after-restore\.ts.* --service|node deploy\/update-base-image\.ts/.test(line)),
  );
  expect(lines.length).toBeGreaterThan(2);
  expect(lines.filter((line) => !line.includes('NODE_USE_ENV_PROXY=1 npx node '))).toEqual([]);
});

test('the balancer sends the first of several secrets, which appears on no command line', () => {
  const args = ['--project=p', '--region=r', '--name=encryption-api', '--secret=balancer-secret'];
  const { commands, piped } = run('backend-service.ts', args, 'gcloud secrets versions access', 'first,second');
  expect(commands).toBe('gcloud compute backend-services import encryption-api --global --quiet\n');
  expect(JSON.parse(piped)).toMatchObject({
    loadBalancingScheme: 'EXTERNAL_MANAGED',
    customRequestHeaders: ['X-Balancer-Secret:first'],
    backends: [{ group: expect.stringContaining('/projects/p/regions/r/networkEndpointGroups/encryption-api') }],
  });
});

test('Firebase is added only to a project that does not have it', () => {
  const list = (projects: string[]) => JSON.stringify({ result: projects.map((projectId) => ({ projectId })) });
  const add = (...projects: string[]) =>
    run('add-firebase.ts', ['--project=acme'], 'npx firebase projects:list', list(projects)).commands;
  expect(add('other', 'acme')).toBe('');
  expect(add('other')).toBe('npx firebase projects:addfirebase acme --non-interactive\n');
});

test('Data Access logs that are missing are added, and nothing else of the policy changes, not even its etag', () => {
  const turnOn = (policy: object) =>
    run('audit-logs.ts', ['--project=acme'], 'gcloud projects get-iam-policy', JSON.stringify(policy));
  const logs = (...logTypes: string[]) => logTypes.map((logType) => ({ logType }));
  const [read, storage] = [
    { logType: 'DATA_READ', exemptedMembers: ['user:a'] },
    { service: 'storage.googleapis.com', auditLogConfigs: logs('DATA_READ') },
  ];
  const policy = { etag: 'abc', bindings: [{ role: 'roles/owner', members: ['user:owner@example.com'] }] };
  const kms = { service: 'cloudkms.googleapis.com', auditLogConfigs: [read] };
  const { commands, piped } = turnOn({ ...policy, auditConfigs: [storage, kms] });
  expect(commands).toMatch(/^gcloud projects set-iam-policy acme \S+policy\.json --format=none\n$/);
  const changed = JSON.parse(piped);
  expect(changed).toEqual({
    ...policy,
    auditConfigs: [
      storage,
      { ...kms, auditLogConfigs: [read, ...logs('ADMIN_READ', 'DATA_WRITE')] },
      { service: 'datastore.googleapis.com', auditLogConfigs: logs('ADMIN_READ', 'DATA_WRITE') },
    ],
  });
  rmSync(join(folder, 'commands'));
  expect(turnOn(changed).commands).toBe('');
  expect(JSON.parse(turnOn(policy).piped).auditConfigs).toMatchObject([{ service: kms.service }, {}]);
});

const dockerfile = readFileSync(join(ROOT, 'policies/Dockerfile'), 'utf8');
const INDEX = '{"schemaVersion":2,"manifests":[]}';
const DIGEST = `sha256:${createHash('sha256').update(INDEX).digest('hex')}`;

/** Starts a registry that gives a token, and answers only with this token. Returns its URL. */
async function startRegistry(claimed: string): Promise<string> {
  const registry = createServer(({ url = '', headers }, response) => {
    if (url === '/token?scope=repository:cerbos/cerbos:pull') return void response.end('{"token":"t"}');
    const known = url === '/v2/cerbos/cerbos/manifests/1.2.3' && headers.authorization === 'Bearer t';
    response.writeHead(known ? 200 : 404, { 'docker-content-digest': claimed }).end(INDEX);
  });
  onTestFinished(() => void registry.close());
  await listen(registry, 0);
  return `http://127.0.0.1:${portOf(registry)}`;
}

test('the decision point’s base image is pinned by digest, with the version that the tests use', () => {
  const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(readBaseImage(dockerfile)).toMatchObject({
    repository: 'cerbos/cerbos',
    version: optionalDependencies['@cerbos/cerbos-linux-x64'],
  });
  expect(() => readBaseImage('FROM ghcr.io/cerbos/cerbos:latest')).toThrow('does not pin');
});

test('an update replaces only the version and the digest, with the digest that the registry has', async () => {
  const digest = await fetchDigest(await startRegistry(DIGEST), 'cerbos/cerbos', '1.2.3');
  const updated = pinBaseImage(dockerfile, '1.2.3', digest);
  expect(updated).toContain(`\nFROM ghcr.io/cerbos/cerbos:1.2.3@${DIGEST}\n`);
  const others = (text: string) => text.split('\n').filter((line) => !line.startsWith('FROM '));
  expect(others(updated)).toEqual(others(dockerfile));
});

test('an unknown version is refused, and so is content that does not have the digest that the registry claims', async () => {
  const origin = await startRegistry(`sha256:${'0'.repeat(64)}`);
  await expect(fetchDigest(origin, 'cerbos/cerbos', '1.2.3')).rejects.toThrow('the content has the digest');
  await expect(fetchDigest(origin, 'cerbos/cerbos', '9.9.9')).rejects.toThrow('404');
});
