import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { surplusBindings } from '../../deploy/drift/bindings.ts';
import { compareAll, findDrift, readContext } from '../../deploy/drift/drift.ts';
import { FUNCTION_NAMES } from '../../deploy/functions.ts';
import { accountEmail } from '../../deploy/names.ts';
import { planDeployment } from '../../deploy/plan.ts';
import { removeBindings } from '../../deploy/steps/access.ts';
import { ROOT } from '../sources.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { DOMAIN, EXAMPLE, gcloudWith, recordState, runDeploy, type State } from './recorded.ts';

/** Replaces a text in the recorded answer to the first command that begins with `command`. */
function plant(command: string, text: string, by: string, deployment = EXAMPLE): State {
  const state = recordState(deployment);
  const name = Object.keys(state).find((one) => one.startsWith(command)) ?? '';
  const answer = JSON.stringify(state[name]);
  expect(answer).toContain(text);
  return { ...state, [name]: JSON.parse(answer.replace(text, by)) };
}

function driftOf(state: State, deployment = EXAMPLE): string[] {
  return findDrift(readContext(deployment, gcloudWith(state))).map(
    ({ what, setting, expected, found }) => `${what}${setting && ` ${setting}`}: expected ${expected}, found ${found}`,
  );
}

const KEYS = accountEmail(EXAMPLE, 'keys');
const STRANGER = '{"role":"roles/cloudkms.cryptoKeyDecrypter","members":["user:stranger@example.com"]}';

const recorded = readContext(EXAMPLE, gcloudWith(recordState(EXAMPLE)));
const SURPLUS = `{"role":"roles/cloudkms.viewer","members":["serviceAccount:${KEYS}"]}`;
const withSurplus = plant('kms keys get-iam-policy wrapped-root', '[{', `[${SURPLUS},${STRANGER},{`);

const rowsOf = (table: string) =>
  table
    .trim()
    .split('\n')
    .map((line) => line.split(' | '));

/** One planted difference for each kind of resource: command, recorded text, planted text, and the reported difference. */
const PLANTED = rowsOf(`
services list | run.googleapis.com | x.googleapis.com | API run: expected exists, found nothing
iam service-accounts list | "${KEYS}" | "${KEYS}","disabled":true | service account of keys disabled: expected false, found true
iam service-accounts keys list --iam-account=${KEYS} | [] | [{"name":"projects/p/serviceAccounts/s/keys/abc"}] | service account of keys keys: expected , found abc
iam service-accounts get-iam-policy ${KEYS} | { | {"bindings":[{"role":"roles/iam.serviceAccountUser","members":["user:stranger@example.com"]}], | grant to user:stranger@example.com of iam.serviceAccountUser on iam service-accounts ${KEYS}: expected nothing, found exists
iam roles describe encryptionKeyRingReader | cloudkms.keyRings.get | cloudkms.keyRings.setIamPolicy | role encryptionKeyRingReader permissions: expected cloudkms.keyRings.get, found cloudkms.keyRings.setIamPolicy
firestore databases list | "DELETE_PROTECTION_ENABLED" | "DELETE_PROTECTION_DISABLED" | Firestore database with point-in-time recovery deleteProtectionState: expected DELETE_PROTECTION_ENABLED, found DELETE_PROTECTION_DISABLED
firestore backups schedules list | 604800s | 86400s | daily backups, kept for 7 days retention: expected 604800s, found 86400s
firestore indexes composite list | "READY" | "CREATING" | index of keys (tenant_id ASCENDING, tier ASCENDING, destroyed_at ASCENDING) state: expected READY, found CREATING
firestore indexes fields list | fields/last_used_at","indexConfig":{} | fields/last_used_at","indexConfig":{"indexes":[{}]} | field apiKeys.last_used_at indexes: expected 0, found 1
kms keyrings list | encryption-tenants | tenants | key ring encryption-tenants: expected exists, found nothing
kms keys list --keyring=encryption-root | "HSM" | "SOFTWARE" | wrapped root protectionLevel: expected HSM, found SOFTWARE
kms keys versions list --key=wrapped-root | ENABLED | DESTROY_SCHEDULED | wrapped root unusable: expected , found 1 DESTROY_SCHEDULED
secrets list | stripe-secret-key | other | secret stripe-secret-key: expected exists, found nothing
secrets versions list stripe-webhook-secret | ENABLED | DISABLED | secret stripe-webhook-secret hasVersion: expected true, found false
projects get-iam-policy | "roles/owner","members":[ | "roles/editor","members":["serviceAccount:${KEYS}", | grant to serviceAccount:${KEYS} of editor on projects ${EXAMPLE.project}: expected nothing, found exists
kms keys get-iam-policy wrapped-root | [{ | [${STRANGER},{ | grant to user:stranger@example.com of cloudkms.cryptoKeyDecrypter on kms keys wrapped-root: expected nothing, found exists
run services get-iam-policy encryption-crypto | serviceAccount:encryption-gateway | serviceAccount:other | grant to serviceAccount:${accountEmail(EXAMPLE, 'gateway')} of run.invoker on run services encryption-crypto: expected exists, found nothing
logging metrics list | varlog/system | varlog/other | metric encryption/crashes filter: expected resource.type="cloud_run_revision"
projects get-iam-policy | {"logType":"DATA_READ"}, |  | Data Access log cloudkms.googleapis.com DATA_READ: expected exists, found nothing
projects get-iam-policy | {"logType":"DATA_READ"} | {"logType":"DATA_READ","exemptedMembers":["user:a@example.com"]} | Data Access log cloudkms.googleapis.com DATA_READ exempted: expected , found user:a@example.com
artifacts repositories get-iam-policy | [] | [{"role":"roles/artifactregistry.writer","members":["user:stranger@example.com"]}] | grant to user:stranger@example.com of artifactregistry.writer on artifacts repositories cloud-run-source-deploy: expected nothing, found exists
billing budgets list | "500" | "900" | budget amount: expected 500USD, found 900USD
billing budgets list | FORECASTED_SPEND | CURRENT_SPEND | budget thresholds: expected 0.5, 1, 1 of the forecast, found 0.5, 1, 1
billing budgets list | "projects":["projects/123456789012"] | "projects":[] | budget projects: expected projects/123456789012, found 
billing budgets list | "MONTH" | "QUARTER" | budget period: expected MONTH, found QUARTER
billing budgets list | notificationChannels/1 | notificationChannels/2 | budget notified on-call@example.com: expected true, found false
--fail --silent --show-error https://firebaserules.googleapis.com/v1/projects/acme-encryption/rulesets/1 | if false | if true | Firestore rules content: expected rules_version
--fail --silent --show-error https://firebasehosting.googleapis.com | https://login.example.com | https://stranger.example.com | console on Firebase Hosting Content-Security-Policy of **: expected default-src
--fail --silent --show-error https://firebasehosting.googleapis.com | "X-Content-Type-Options":"nosniff", |  | console on Firebase Hosting X-Content-Type-Options of **: expected nosniff, found 
--fail --silent --show-error https://firebasehosting.googleapis.com | "path":"/index.html" | "path":"/other.html" | console on Firebase Hosting rewrites: expected !/assets/** to /index.html, found !/assets/** to /other.html
artifacts repositories list | DOCKER | NPM | image repository format: expected DOCKER, found NPM
artifacts docker images list | , latest | x | decision point image: expected exists, found nothing
run services list | "containerConcurrency":512 | "containerConcurrency":1 | function keys concurrency: expected 512, found 1
run services list | "latestRevision":true,"percent":100 | "revisionName":"old","percent":100 | function keys traffic: expected 100% to the latest revision, found 100% to old
run services list | "value":"acme-encryption" | "value":"other" | function keys env GOOGLE_CLOUD_PROJECT: expected acme-encryption, found other
run services list | "run.googleapis.com/build-function-target":"keys" | "run.googleapis.com/build-function-target":"crypto" | function keys target: expected keys, found crypto
run services list | nodejs24 | nodejs20 | function keys baseImage: expected nodejs24, found nodejs20
run services list | "startupProbe":{"httpGet":{"path":"/_cerbos/health","port":3592}}, |  | function keys decision point startup: expected /_cerbos/health:3592, found 
api-gateway apis list | apis/encryption | apis/other | gateway API: expected exists, found nothing
api-gateway gateways list | configs/closed-false | configs/other | gateway configuration: expected closed-false-
scheduler jobs list | */5 * * * * | */50 * * * * | schedule destroy-due-keys schedule: expected */5 * * * *, found */50 * * * *
beta monitoring channels list | service","type":"email","labels":{"email_address":"on-call@ | service","type":"email","labels":{"email_address":"former@ | notification channel for alerts: expected exists, found nothing
monitoring uptime list-configs | encryption-abc | another | uptime check of /health host: expected encryption-abc.uc.gateway.dev, found another.uc.gateway.dev
monitoring uptime list-configs | "60s" | "900s" | uptime check of /health period: expected 60s, found 900s
alpha monitoring policies list | "enabled":true | "enabled":false | alert encryption: crashes enabled: expected true, found false`);

/** The same for the load balancer of a deployment with a domain. */
const BALANCER = rowsOf(`
compute backend-services list | "X-Balancer-Secret:not-to-be-shown" |  | backend service with the secret header headers: expected X-Balancer-Secret, found 
compute url-maps list | backendServices/encryption-api | backendServices/other | URL map service: 
compute target-https-proxies list | urlMaps/encryption-api | urlMaps/other | HTTPS proxy urlMap: 
compute target-https-proxies list | sslCertificates/encryption | sslCertificates/o | HTTPS proxy certificates: 
compute forwarding-rules list | 203.0.113.7 | 203.0.113.8 | forwarding rule address: 
beta compute network-endpoint-groups list | "resource":"encryption" | "resource":"other" | gateway behind the balancer gateway: `);

test('a deployment without drift has no difference, open, closed or with a domain', () => {
  expect(driftOf(recordState(EXAMPLE))).toEqual([]);
  expect(driftOf(recordState(EXAMPLE, true))).toEqual([]);
  expect(driftOf(recordState(DOMAIN), DOMAIN)).toEqual([]);
});

test.for(PLANTED)('a difference in the answer to “%s” is reported', ([command = '', text = '', by = '', reported]) => {
  expect(driftOf(plant(command, text, by))).toContainEqual(expect.stringContaining(reported ?? ''));
});

test.for(BALANCER)(
  'a part of the balancer that leads elsewhere is a difference (gcloud %s)',
  ([command = '', text = '', by = '', reported]) => {
    expect(driftOf(plant(command, text, by, DOMAIN), DOMAIN)).toEqual([expect.stringContaining(reported ?? '')]);
  },
);

test('another document under the name of the gateway’s configuration is a difference', () => {
  const state = recordState(EXAMPLE);
  const name = Object.keys(state).find((one) => one.startsWith('api-gateway api-configs describe closed-false')) ?? '';
  const contents = Buffer.from('{"swagger":"2.0","paths":{}}').toString('base64');
  const found = driftOf({ ...state, [name]: { openapiDocuments: [{ document: { contents } }] } });
  expect(found).toContainEqual(expect.stringMatching(/^gateway configuration closed-false.* paths\./));
});

const RETIRED = 'encryption-retired@acme-encryption.iam.gserviceaccount.com';
test.for([
  ['run services list', '"name":"encryption-keys"', '"name":"encryption-extra"', 'function encryption-extra'],
  ['scheduler jobs list', 'encryption-seal-audit', 'encryption-other', 'schedule other'],
  ['alpha monitoring policies list', 'encryption: crashes', 'encryption: retired', 'alert encryption: retired'],
  ['iam service-accounts list', `"${KEYS}"`, `"${RETIRED}"`, `service account of ${RETIRED}`],
] as const)('something that nobody asked for is a difference (gcloud %s)', ([command, text, by, what]) => {
  const more = {
    'run services get-iam-policy encryption-extra --region=us-central1': {},
    [`iam service-accounts get-iam-policy ${RETIRED}`]: {},
    [`iam service-accounts keys list --iam-account=${RETIRED} --managed-by=user`]: [],
  };
  expect(driftOf({ ...plant(command, text, by), ...more })).toContainEqual(`${what}: expected nothing, found exists`);
});

test('in an empty project, everything is missing, and nothing is asked of an API that is not enabled', () => {
  const state = {
    'services list --enabled': [],
    'iam service-accounts list': [],
    [`iam roles list --project=${EXAMPLE.project}`]: [],
    [`projects get-iam-policy ${EXAMPLE.project}`]: {},
  };
  const found = driftOf(state);
  expect(found.length).toBeGreaterThan(100);
  expect(found.filter((line) => !line.endsWith('expected exists, found nothing'))).toEqual([]);
});

test('every resource that the plan creates is compared', () => {
  const compared = compareAll(recorded).flatMap(({ expected }) => expected.map(({ what }) => what));
  const created = planDeployment(EXAMPLE).flatMap((step) => ('create' in step ? [step.what] : []));
  const others = created.filter((what) => !compared.includes(what));
  // Grants are compared as bindings.
  expect(others.filter((what) => !/^[\w-]+: \w+/.test(what))).toEqual([
    // Compared as one resource for each API, log, index and field, and as the rules.
    'APIs',
    'Data Access logs',
    'Firestore rules and indexes',
    // Compared as settings of the functions.
    ...FUNCTION_NAMES.map((name) => `traffic to the new revision of ${name}`),
    ...['router', 'seal-audit'].flatMap((name) => [
      `${name} with CLOSED=$CLOSED`,
      `traffic to the new revision of ${name}`,
    ]),
    // Without the first, the console would be missing. The second is compared file by file.
    'Firebase in the project',
    'console files',
  ]);
});

test('code that differs from the built code is a difference; code that is not built is not compared', () => {
  const built = (name: string) => (name === 'keys' ? 'abc123' : undefined);
  const found = findDrift(readContext(EXAMPLE, gcloudWith(recordState(EXAMPLE)), built));
  expect(found).toMatchObject([{ what: 'function keys', setting: 'code', expected: 'abc123' }]);
});

const folder = temporaryFolder('console');
mkdirSync(join(folder, 'assets'));
writeFileSync(join(folder, 'index.html'), '<!doctype html>');
const script = join(folder, 'assets/console.js');
writeFileSync(script, randomBytes(100_000).toString('hex'));
/** Hashes a file like firebase-tools, in `lib/deploy/hosting/uploader.js`. */
const uploaded = async (path: string) => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), createGzip({ level: 9 }), hash);
  return hash.digest('hex');
};
const hosted = async () =>
  [
    { path: '/index.html', hash: await uploaded(join(folder, 'index.html')), status: 'ACTIVE' },
    { path: '/assets/console.js', hash: await uploaded(script), status: 'ACTIVE' },
  ] as const;
const command =
  '--fail --silent --show-error https://firebasehosting.googleapis.com/v1beta1/sites/acme-encryption/versions/1/files?status=ACTIVE&pageSize=1000';
/** Compares the built files with hosted files, of which each page of the answer has one. */
const compareWith = (files: readonly object[]) => {
  const pages = files.map((file, page) => [
    `${command}${page === 0 ? '' : `&pageToken=${page}`}`,
    { files: [file], ...(page + 1 < files.length && { nextPageToken: String(page + 1) }) },
  ]);
  const state = { ...recordState(EXAMPLE), ...Object.fromEntries(pages) };
  return findDrift(readContext(EXAMPLE, gcloudWith(state), undefined, folder)).map(
    ({ what, setting, expected, found }) => ({ what, setting, expected, found }),
  );
};

test('a changed, a missing and a surplus file are differences, but what firebase-tools uploaded is not', async () => {
  const [page, console] = await hosted();
  expect(compareWith([page, console])).toEqual([]);
  const changed = { ...console, hash: 'a'.repeat(64) };
  expect(compareWith([changed, { ...page, path: '/other.html' }])).toEqual([
    { what: 'console file /assets/console.js', setting: 'hash', expected: console.hash, found: changed.hash },
    { what: 'console file /index.html', setting: '', expected: 'exists', found: 'nothing' },
    { what: 'console file /other.html', setting: '', expected: 'nothing', found: 'exists' },
  ]);
});

test('a grant to one of our accounts that the deployment does not have is removed; grants to people stay', () => {
  const removals = removeBindings(surplusBindings(readContext(EXAMPLE, gcloudWith(withSurplus))));
  expect(removals.map(({ create }) => create.join(' '))).toEqual([
    `gcloud kms keys remove-iam-policy-binding wrapped-root --keyring=encryption-root --location=us-central1 --member=serviceAccount:${KEYS} --role=roles/cloudkms.viewer --condition=None`,
  ]);
  expect(surplusBindings(recorded)).toEqual([]);
});

test('--check exits with 0 if there is no difference', () => {
  const none = { status: 0, stdout: 'what runs is what the deployment file says\n' };
  expect(runDeploy(recordState(EXAMPLE), ['--check'])).toMatchObject(none);
});

test('--check prints a table and exits with 1 if there is a difference', () => {
  const { status, stdout } = runDeploy(plant('scheduler jobs list', '*/5 * * * *', '*/50 * * * *'), ['--check']);
  const [head, row] = [
    'RESOURCE                   SETTING   EXPECTED     FOUND',
    'schedule destroy-due-keys  schedule  */5 * * * *  */50 * * * *',
  ];
  expect([status, stdout]).toEqual([1, `${head}\n${row}\n`]);
});

test('--check fails if gcloud cannot answer, because no answer is not “no difference”', () => {
  const { 'secrets list': _, ...state } = recordState(EXAMPLE);
  const failed = { status: 2, stdout: '', stderr: 'deploy: gcloud secrets list: PERMISSION_DENIED\n' };
  expect(runDeploy(state, ['--check'])).toMatchObject(failed);
});

test('--plan shows the removal of a grant as the last step', () => {
  const { status, stdout } = runDeploy(withSurplus, ['--plan']);
  expect(status).toBe(0);
  expect(stdout.split('\nstep ').at(-1)).toContain('gcloud kms keys remove-iam-policy-binding wrapped-root');
});

test('--plan without access to the project shows the plan, and says that it shows no removals', () => {
  const { status, stdout, stderr } = runDeploy({}, ['--plan']);
  expect(status).toBe(0);
  expect(stdout).toContain('step APIs');
  expect(stderr).toContain('the plan shows no removals of grants');
});

describe('a deployment with a grant of an earlier release', () => {
  // A deployment needs built functions, even if the recorded gcloud then refuses its first command.
  const made = FUNCTION_NAMES.map((name) => join(ROOT, 'dist', name)).filter((path) => !existsSync(path));
  beforeAll(() => made.forEach((path) => void mkdirSync(path, { recursive: true })));
  afterAll(() => made.forEach((path) => void rmSync(path, { recursive: true })));

  test.for(['', 'no\n'])('the deployment lists the grant, asks, and changes nothing if the answer is %j', (answer) => {
    const { status, stdout, stderr } = runDeploy(withSurplus, [], answer);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain(`removal of roles/cloudkms.viewer of serviceAccount:${KEYS} on kms keys wrapped-root\n`);
    expect(stderr).toContain('deploy: nothing was deployed.');
  });

  test.for([
    [[], 'yes\n'],
    [['--yes'], ''],
  ] as const)('with the options %j and the answer %j, the deployment begins', ([args, answer]) => {
    expect(runDeploy(withSurplus, args, answer).stdout).toBe('== APIs\n');
  });
});
