import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { CUSTOM_ROLES } from '../../deploy/access.ts';
import { LOGGED } from '../../deploy/data-access.ts';
import { decisionPointRepository, decisionPointTag, hashFolder } from '../../deploy/decision-point.ts';
import type { Deployment } from '../../deploy/deployment.ts';
import type { Ask } from '../../deploy/drift/resource.ts';
import { environmentOf, secretsOf } from '../../deploy/environment.ts';
import { FUNCTION_NAMES, FUNCTIONS, type FunctionName } from '../../deploy/functions.ts';
import { configName, gatewayConfigs } from '../../deploy/gateway.ts';
import { METRICS } from '../../deploy/monitoring/metrics.ts';
import { ACTORS, accountEmail, functionAddress, keyRingName, secretName, serviceName } from '../../deploy/names.ts';
import { readDeployment } from '../../deploy/read-deployment.ts';
import { SCHEDULES } from '../../deploy/schedules.ts';
import { grantedBindings } from '../../deploy/steps/access.ts';
import { alertPolicies, METRIC, uptimeCheckOf } from '../../deploy/steps/monitoring.ts';
import { APIS } from '../../deploy/steps/project.ts';
import { ROOT } from '../sources.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The deployment in the docs, with console and billing. */
export const EXAMPLE = readDeployment(join(ROOT, 'deploy/deployment.example.json'));

/** The same deployment with a domain, which needs a load balancer. */
export const DOMAIN = { ...EXAMPLE, apiOrigin: 'https://api.example.com' };

/** The same deployment without console, billing and metrics. */
export const WITHOUT_CONSOLE = {
  ...EXAMPLE,
  identity: undefined,
  billing: undefined,
  consoleOrigin: undefined,
  metricsEndpoint: undefined,
};

/** The answers of gcloud with `--format=json`, by command line without `gcloud` and `--format=json`. */
export type State = Record<string, unknown>;

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

const indexFile = z.object({
  indexes: z.array(z.looseObject({ collectionGroup: z.string() })),
  fieldOverrides: z.array(z.object({ collectionGroup: z.string(), fieldPath: z.string() })),
});
const hostingFile = z.object({
  hosting: z.object({
    headers: z.array(
      z.object({ source: z.string(), headers: z.array(z.object({ key: z.string(), value: z.string() })) }),
    ),
    rewrites: z.array(z.object({ source: z.string(), destination: z.string() })),
  }),
});

/** Returns one answer for each name. */
const each = (names: readonly string[], answer: (name: string) => readonly [string, unknown]): State =>
  Object.fromEntries(names.map(answer));
/** Returns the resources with these names in a folder. */
const named = (folder: string, names: readonly string[]) => names.map((name) => ({ name: `${folder}/${name}` }));
/** The gateway's own address. */
const GATEWAY = 'https://encryption-abc.uc.gateway.dev';
const DIGEST = `sha256:${'a'.repeat(64)}`;

/**
 * Returns what gcloud would answer about a deployment without drift, in the formats of Google's APIs. `closed` is
 * whether the service is closed.
 */
export function recordState(deployment: Deployment, closed = false): State {
  const { project, region, alertEmail, rootProtection } = deployment;
  const at = `--location=${region}`;
  const emails = ACTORS.map((actor) => accountEmail(deployment, actor));
  const rootRing = keyRingName(deployment, 'encryption-root');
  const tenantsRing = keyRingName(deployment, 'encryption-tenants');
  const { indexes, fieldOverrides } = indexFile.parse(JSON.parse(read('firestore.indexes.json')));
  const database = `projects/${project}/databases/(default)`;
  const group = (name: string) => `${database}/collectionGroups/${name}`;
  const scheduler = accountEmail(deployment, 'scheduler');
  const channel = `projects/${project}/notificationChannels/1`;
  const secrets = [...new Set(FUNCTION_NAMES.flatMap((name) => secretsOf(deployment, name)))].map(secretName);
  const allSecrets = [...secrets, 'smoke-api-key'];
  const secretsFolder = `projects/${deployment.projectNumber}/secrets`;
  const images = `projects/${project}/locations/${region}/repositories/cloud-run-source-deploy`;
  const gatewayApi = `projects/${project}/locations/global/apis/encryption`;
  const repository = decisionPointRepository(deployment);
  const cryptoKey = (name: string, purpose: string, algorithm: string, protectionLevel: string) => ({
    ...{ name: `${rootRing}/cryptoKeys/${name}`, purpose, destroyScheduledDuration: '10368000s' },
    versionTemplate: { algorithm, protectionLevel },
  });
  return {
    'services list --enabled': APIS.map((api) => ({ config: { name: `${api}.googleapis.com` }, state: 'ENABLED' })),
    'iam service-accounts list': [
      ...emails.map((email, at) => ({ email, displayName: `Encryption service: ${ACTORS[at]}` })),
      { email: `123456789012-compute@developer.gserviceaccount.com`, displayName: 'Default compute service account' },
    ],
    ...each(emails, (email) => [`iam service-accounts keys list --iam-account=${email} --managed-by=user`, []]),
    ...each(emails, (email) => [`iam service-accounts get-iam-policy ${email}`, { etag: 'ACAB' }]),
    [`iam roles list --project=${project}`]: named(`projects/${project}/roles`, Object.keys(CUSTOM_ROLES)),
    ...Object.fromEntries(
      Object.entries(CUSTOM_ROLES).map(([name, permissions]) => [
        `iam roles describe ${name} --project=${project}`,
        { name: `projects/${project}/roles/${name}`, includedPermissions: permissions.toReversed(), stage: 'GA' },
      ]),
    ),
    'firestore databases list': [
      {
        ...{ name: database, locationId: deployment.firestoreLocation, type: 'FIRESTORE_NATIVE' },
        deleteProtectionState: 'DELETE_PROTECTION_ENABLED',
        pointInTimeRecoveryEnablement: 'POINT_IN_TIME_RECOVERY_ENABLED',
      },
    ],
    'firestore backups schedules list --database=(default)': [{ retention: '604800s', dailyRecurrence: {} }],
    'firestore indexes composite list --database=(default)': indexes.map((one, id) => ({
      ...one,
      name: `${group(one.collectionGroup)}/indexes/${id}`,
      state: 'READY',
    })),
    'firestore indexes fields list --database=(default)': [
      ...fieldOverrides.map(({ collectionGroup, fieldPath }) => ({
        name: `${group(collectionGroup)}/fields/${fieldPath}`,
        indexConfig: {},
      })),
      { name: `${group('__default__')}/fields/*`, indexConfig: { indexes: [{}, {}, {}] } },
    ],
    [`kms keyrings list ${at}`]: [tenantsRing, rootRing, keyRingName(deployment, 'another-project-of-ours')].map(
      (name) => ({ name }),
    ),
    [`kms keys list --keyring=encryption-tenants ${at}`]: named(`${tenantsRing}/cryptoKeys`, ['of-a-tenant']),
    [`kms keys versions list --key=of-a-tenant --keyring=encryption-tenants ${at}`]: [
      { name: `${tenantsRing}/cryptoKeys/of-a-tenant/cryptoKeyVersions/1`, state: 'DESTROYED' },
      { name: `${tenantsRing}/cryptoKeys/of-a-tenant/cryptoKeyVersions/2`, state: 'ENABLED' },
    ],
    [`kms keys list --keyring=encryption-root ${at}`]: [
      cryptoKey('wrapped-root', 'ENCRYPT_DECRYPT', 'GOOGLE_SYMMETRIC_ENCRYPTION', rootProtection.toUpperCase()),
      cryptoKey('audit-signing', 'ASYMMETRIC_SIGN', 'EC_SIGN_ED25519', 'SOFTWARE'),
    ],
    ...each(['wrapped-root', 'audit-signing'], (key) => [
      `kms keys versions list --key=${key} --keyring=encryption-root ${at}`,
      [{ name: `${rootRing}/cryptoKeys/${key}/cryptoKeyVersions/1`, state: 'ENABLED' }],
    ]),
    'secrets list': allSecrets.map((name) => ({ name: `${secretsFolder}/${name}`, replication: { automatic: {} } })),
    ...each(allSecrets, (name) => [
      `secrets versions list ${name}`,
      [{ name: `${secretsFolder}/${name}/versions/1`, state: 'ENABLED' }],
    ]),
    ...policies(deployment, allSecrets),
    'logging metrics list': Object.entries(METRICS).map(([name, metric]) => ({ name: `${METRIC}${name}`, ...metric })),
    [`artifacts repositories list ${at}`]: [{ name: images, format: 'DOCKER' }],
    [`artifacts packages list --repository=cloud-run-source-deploy ${at}`]: named(`${images}/packages`, [
      ...[...FUNCTION_NAMES.map(serviceName), 'decision-point', 'of-another-service'],
    ]),
    [`artifacts docker images list ${repository.replace('/decision-point', '')} --include-tags`]: [
      { package: repository, version: DIGEST, tags: `${decisionPointTag()}, latest` },
    ],
    [`run services list --region=${region}`]: FUNCTION_NAMES.map((name) => viewService(deployment, name, closed)),
    'api-gateway apis list': [{ name: gatewayApi }],
    'api-gateway api-configs list --api=encryption': named(`${gatewayApi}/configs`, [
      ...gatewayConfigs(deployment).map(({ name }) => name),
      'of-an-earlier-release',
    ]),
    ...Object.fromEntries(
      gatewayConfigs(deployment).map(({ name, text }) => [
        `api-gateway api-configs describe ${name} --api=encryption --view=FULL`,
        {
          gatewayServiceAccount: `projects/-/serviceAccounts/${accountEmail(deployment, 'gateway')}`,
          openapiDocuments: [{ document: { path: 'gateway.json', contents: Buffer.from(text).toString('base64') } }],
        },
      ]),
    ),
    [`api-gateway gateways list ${at}`]: [
      {
        name: `projects/${project}/locations/${region}/gateways/encryption`,
        apiConfig: `${gatewayApi}/configs/${configName(deployment, closed ? 'true' : 'false')}`,
        defaultHostname: new URL(GATEWAY).host,
        labels: { closed: String(closed) },
      },
    ],
    [`scheduler jobs list ${at}`]: Object.entries(SCHEDULES).map(([name, { calls, cron }]) => ({
      name: `projects/${project}/locations/${region}/jobs/encryption-${name}`,
      ...{ schedule: cron, timeZone: 'Etc/UTC', state: closed ? 'PAUSED' : 'ENABLED' },
      attemptDeadline: `${FUNCTIONS[calls].timeoutSeconds}s`,
      httpTarget: {
        ...{ uri: `${functionAddress(deployment, calls)}/`, httpMethod: 'POST' },
        oidcToken: { serviceAccountEmail: scheduler, audience: functionAddress(deployment, calls) },
      },
    })),
    [`billing budgets list --billing-account=${deployment.budget?.billingAccount}`]: [
      {
        name: 'billingAccounts/012345-6789AB-CDEF01/budgets/1',
        displayName: `Encryption service ${project}`,
        amount: { specifiedAmount: { currencyCode: 'USD', units: '500' } },
        thresholdRules: [
          { thresholdPercent: 0.5, spendBasis: 'CURRENT_SPEND' },
          { thresholdPercent: 1, spendBasis: 'CURRENT_SPEND' },
          { thresholdPercent: 1, spendBasis: 'FORECASTED_SPEND' },
        ],
        budgetFilter: { projects: [`projects/${deployment.projectNumber}`], calendarPeriod: 'MONTH' },
        notificationsRule: { monitoringNotificationChannels: [channel] },
      },
    ],
    ...balancer(deployment),
    ...firebase(deployment),
    'beta monitoring channels list': [
      // A channel of someone else, with the same address.
      { name: `projects/${project}/notificationChannels/0`, type: 'email', labels: { email_address: alertEmail } },
      { name: channel, displayName: 'Encryption service', type: 'email', labels: { email_address: alertEmail } },
    ],
    'monitoring uptime list-configs': [
      {
        name: `projects/${project}/uptimeCheckConfigs/u`,
        ...{ displayName: uptimeCheckOf(deployment), period: '60s', timeout: '10s' },
        httpCheck: { path: '/health', useSsl: true },
        monitoredResource: { type: 'uptime_url', labels: { host: new URL(deployment.apiOrigin ?? GATEWAY).host } },
      },
    ],
    'alpha monitoring policies list': alertPolicies(deployment).map((policy, index) => ({
      ...{ name: `projects/${project}/alertPolicies/${index}`, ...policy },
      ...{ enabled: true, notificationChannels: [channel] },
    })),
  };
}

/** Returns the answers to `get-iam-policy`, with the bindings of the deployment, and a person on the project. */
function policies(deployment: Deployment, secrets: readonly string[]): State {
  const { project, region } = deployment;
  const at = `--location=${region}`;
  const ofProject = `projects get-iam-policy ${project}`;
  const commands = [
    ofProject,
    ...['encryption-tenants', 'encryption-root'].map((ring) => `kms keyrings get-iam-policy ${ring} ${at}`),
    ...['wrapped-root', 'audit-signing'].map((key) => `kms keys get-iam-policy ${key} --keyring=encryption-root ${at}`),
    ...secrets.map((name) => `secrets get-iam-policy ${name}`),
    `artifacts repositories get-iam-policy cloud-run-source-deploy ${at}`,
    ...FUNCTION_NAMES.map((name) => `run services get-iam-policy ${serviceName(name)} --region=${region}`),
  ];
  const state: Record<string, { bindings: { role: string; members: string[] }[] }> = Object.fromEntries(
    commands.map((command) => [command, { bindings: [] }]),
  );
  for (const { target, member, role } of grantedBindings(deployment)) {
    const command = [...target.group, 'get-iam-policy', ...target.resource].join(' ');
    state[command]?.bindings.push({ role, members: [member] });
  }
  state[ofProject]?.bindings.push({ role: 'roles/owner', members: ['user:owner@example.com'] });
  const auditConfigs = Object.entries(LOGGED).map(([service, types]) => ({
    service,
    auditLogConfigs: types.map((logType) => ({ logType })),
  }));
  return { ...state, [ofProject]: { ...state[ofProject], auditConfigs } };
}

/** Returns the answers about Firestore's rules and the console, for which gcloud has no commands. */
function firebase({ project, apiOrigin, identity }: Deployment): State {
  const get = '--fail --silent --show-error';
  const rules = 'https://firebaserules.googleapis.com/v1';
  const content = read('firestore.rules');
  const origins = `${apiOrigin ?? GATEWAY} ${identity?.issuer ?? ''}`;
  const hostedWith = read('firebase.json').replace('https://api.invalid https://issuer.invalid', origins);
  const { hosting } = hostingFile.parse(JSON.parse(hostedWith));
  const config = {
    headers: hosting.headers.map(({ source, headers }) => ({
      glob: source,
      headers: Object.fromEntries(headers.map(({ key, value }) => [key, value])),
    })),
    rewrites: hosting.rewrites.map(({ source, destination }) => ({ glob: source, path: destination })),
  };
  return {
    'auth print-access-token': 'token',
    [`${get} ${rules}/projects/${project}/releases`]: {
      releases: [
        { name: `projects/${project}/releases/cloud.firestore`, rulesetName: `projects/${project}/rulesets/1` },
        { name: `projects/${project}/releases/firebase.storage`, rulesetName: `projects/${project}/rulesets/2` },
      ],
    },
    [`${get} ${rules}/projects/${project}/rulesets/1`]: { source: { files: [{ name: 'firestore.rules', content }] } },
    [`${get} https://firebasehosting.googleapis.com/v1beta1/sites/${project}/releases?pageSize=1`]: {
      releases: [{ type: 'DEPLOY', version: { name: 'sites/acme-encryption/versions/1', config } }],
    },
  };
}

/** Returns the answers about the load balancer. */
function balancer({ project, region, apiOrigin }: Deployment): State {
  const name = 'encryption-api';
  const path = `https://www.googleapis.com/compute/v1/projects/${project}`;
  const parts: State = {
    addresses: [{ name, address: '203.0.113.7' }],
    'network-endpoint-groups': [
      {
        name,
        networkEndpointType: 'SERVERLESS',
        serverlessDeployment: { platform: 'apigateway.googleapis.com', resource: 'encryption' },
      },
    ],
    'backend-services': [
      {
        name,
        loadBalancingScheme: 'EXTERNAL_MANAGED',
        customRequestHeaders: ['X-Balancer-Secret:not-to-be-shown'],
        backends: [{ group: `${path}/regions/${region}/networkEndpointGroups/${name}` }],
      },
    ],
    'ssl-certificates': [{ name, managed: { status: 'ACTIVE', domains: [new URL(apiOrigin ?? 'https://none').host] } }],
    'url-maps': [{ name, defaultService: `${path}/global/backendServices/${name}` }],
    'target-https-proxies': [
      { name, urlMap: `${path}/global/urlMaps/${name}`, sslCertificates: [`${path}/global/sslCertificates/${name}`] },
    ],
    'forwarding-rules': [
      {
        ...{ name, target: `${path}/global/targetHttpsProxies/${name}`, portRange: '443-443' },
        ...{ IPAddress: '203.0.113.7', loadBalancingScheme: 'EXTERNAL_MANAGED' },
      },
    ],
  };
  return Object.fromEntries(
    Object.entries(parts).flatMap(([part, found]) =>
      ['', 'beta '].map((track) => [`${track}compute ${part} list`, apiOrigin === undefined ? [] : found]),
    ),
  );
}

/** Returns a Cloud Run service in the format of Knative. */
function viewService(deployment: Deployment, name: FunctionName, closed: boolean) {
  const { caller, concurrency, timeoutSeconds, instances, memoryMiB, decisionPoint } = FUNCTIONS[name];
  const variables = Object.entries(environmentOf(deployment, name));
  const limits = (memory: string) => ({ limits: { cpu: '1000m', memory } });
  const seconds = { periodSeconds: 10, timeoutSeconds: 10, failureThreshold: 3 };
  const probe = (path: string, port: number) => ({ httpGet: { path, port }, ...seconds });
  const decision = {
    name: 'decision-point',
    image: `${decisionPointRepository(deployment)}@${DIGEST}`,
    resources: limits('256Mi'),
    startupProbe: { httpGet: { path: '/_cerbos/health', port: 3592 } },
    livenessProbe: probe('/_cerbos/health', 3592),
  };
  const own = {
    name: 'function',
    image: `${deployment.region}-docker.pkg.dev/${deployment.project}/cloud-run-source-deploy/${serviceName(name)}@${DIGEST}`,
    env: [
      ...variables.map(([variable, value]) => ({
        name: variable,
        value: value === '$CLOSED_BEFORE' ? String(closed) : value,
      })),
      ...secretsOf(deployment, name).map((variable) => ({
        name: variable,
        valueFrom: { secretKeyRef: { name: secretName(variable), key: 'latest' } },
      })),
    ],
    resources: limits(`${memoryMiB}Mi`),
    livenessProbe: probe('/health', 8080),
  };
  return {
    metadata: {
      name: serviceName(name),
      annotations: {
        'run.googleapis.com/ingress': caller === 'scheduler' ? 'internal' : 'all',
        'run.googleapis.com/build-function-target': name,
        'run.googleapis.com/build-base-image':
          'us-docker.pkg.dev/serverless-runtimes/google-24/runtimes/nodejs24:latest',
      },
      labels: { 'source-hash': existsSync(join(ROOT, 'dist', name)) ? hashFolder(join(ROOT, 'dist', name)) : '' },
    },
    spec: {
      template: {
        // Google leaves out a minimum of zero.
        metadata: { annotations: { 'autoscaling.knative.dev/maxScale': String(instances[1]) } },
        spec: {
          serviceAccountName: accountEmail(deployment, name),
          containerConcurrency: concurrency,
          timeoutSeconds,
          containers: decisionPoint ? [decision, own] : [own],
        },
      },
      traffic: [{ latestRevision: true, percent: 100 }],
    },
  };
}

/** A gcloud that answers from a recorded state. A command that is not recorded fails. */
export function gcloudWith(state: State): Ask {
  return ([, ...words], output) => {
    const command = words.join(' ');
    if (!(command in state)) throw new Error(`not recorded: ${command}`);
    return output.parse(state[command]);
  };
}

/**
 * Runs deploy/main.ts with a gcloud and a curl that answer from this state. With `accepts`, commands that are not recorded
 * succeed, and are returned as `changes`.
 */
export function runDeploy(state: State, args: readonly string[], input = '', accepts = false) {
  const folder = temporaryFolder('drift');
  // Each answer is a file that is named after its command.
  const program = `#!/bin/bash
[[ $0 == */curl ]] && cat > /dev/null
words=("$@"); name="\${words[*]:0:$#-1}"; name="${folder}/\${name//\\//_}.json"
[ -f "$name" ] || { ${accepts ? `echo "\${0##*/} $*" >> '${folder}/changes'; exit 0` : 'echo PERMISSION_DENIED >&2; exit 1'}; }
echo "$(< "$name")"
`;
  for (const name of ['gcloud', 'curl', 'npx']) writeFileSync(join(folder, name), program, { mode: 0o755 });
  for (const [command, answer] of Object.entries(state))
    writeFileSync(join(folder, `${command.replaceAll('/', '_')}.json`), JSON.stringify(answer));
  const file = join(ROOT, 'deploy/deployment.example.json');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, 'deploy/main.ts'), '--deployment', file, ...args],
    { encoding: 'utf8', env: { PATH: `${folder}:${process.env.PATH}` }, input },
  );
  const changes = accepts ? readFileSync(join(folder, 'changes'), 'utf8').split('\n').slice(0, -1) : [];
  return { status, stdout, stderr, changes };
}
