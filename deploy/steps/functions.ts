import { dirname } from 'node:path';
import { decisionPointRepository, decisionPointTag } from '../decision-point.ts';
import type { Deployment } from '../deployment.ts';
import { DECISION_PORT, environmentOf, secretsOf } from '../environment.ts';
import { FUNCTION_NAMES, FUNCTIONS, type FunctionName } from '../functions.ts';
import { accountEmail, IMAGES, secretName, serviceName } from '../names.ts';
import { type Change, gcloud, named, type Step } from '../step.ts';

/** Cloud Run restarts a container that does not answer three probes in a row. */
const PROBE = 'periodSeconds=10,timeoutSeconds=10,failureThreshold=3';

/** The platform's image with Node, on which each function is built. */
export const BASE_IMAGE = 'nodejs24';

/** The label of a function with the hash of its code. */
export const SOURCE_LABEL = 'source-hash';

/** The script variable that holds the digest of the policy decision point's image. */
const DIGEST = 'DECISION_POINT_DIGEST';

/**
 * Returns the steps that build an image of Cerbos with this repository's policies. Functions refer to the image by its
 * digest, because a tag can be moved to another image.
 */
export function buildDecisionPoint(deployment: Deployment): Step[] {
  const { region } = deployment;
  const [repository, tag] = [decisionPointRepository(deployment), decisionPointTag()];
  const image = `${repository}:${tag}`;
  return [
    {
      what: 'image repository',
      find: gcloud('artifacts', 'repositories', 'list', `--location=${region}`, named(IMAGES), '--format=value(name)'),
      create: gcloud(
        'artifacts',
        'repositories',
        'create',
        IMAGES,
        `--location=${region}`,
        '--repository-format=docker',
      ),
    },
    {
      what: 'decision point image',
      keep: DIGEST,
      find: gcloud(
        // A list of a repository without this image is empty. A list of a missing image would be an error.
        ...['artifacts', 'docker', 'images', 'list', dirname(repository), '--include-tags'],
        ...[`--filter=package="${repository}" AND tags:${tag}`, '--format=value(version)'],
      ),
      create: gcloud(
        ...['builds', 'submit', 'policies', `--tag=${image}`, `--region=${region}`],
        ...[`--service-account=${builder(deployment)}`, '--default-buckets-behavior=regional-user-owned-bucket'],
      ),
    },
  ];
}

export function deployFunctions(deployment: Deployment): Step[] {
  return FUNCTION_NAMES.flatMap((name) => [
    {
      what: `hash of the code of ${name}`,
      read: ['node', 'deploy/source-hash.ts', `dist/${name}`],
      keep: 'SOURCE_HASH',
      otherwise: '',
    },
    { what: `function ${name}`, create: gcloud('run', 'deploy', serviceName(name), ...settings(deployment, name)) },
    useLatest(deployment, name),
  ]);
}

/** Returns the step that sends all traffic to the latest revision, even if traffic was pinned to another revision. */
export function useLatest({ region }: Deployment, name: FunctionName): Change {
  return {
    what: `traffic to the new revision of ${name}`,
    create: gcloud('run', 'services', 'update-traffic', serviceName(name), '--to-latest', `--region=${region}`),
  };
}

function settings(deployment: Deployment, name: FunctionName): string[] {
  const { caller, concurrency, timeoutSeconds, instances, decisionPoint } = FUNCTIONS[name];
  return [
    `--region=${deployment.region}`,
    `--service-account=${accountEmail(deployment, name)}`,
    '--no-allow-unauthenticated',
    // Calls from Cloud Scheduler count as internal traffic. Calls from API Gateway do not.
    `--ingress=${caller === 'scheduler' ? 'internal' : 'all'}`,
    `--concurrency=${concurrency}`,
    `--timeout=${timeoutSeconds}`,
    `--min-instances=${instances[0]}`,
    `--max-instances=${instances[1]}`,
    // `npm run deploy -- --check` compares the label with the built code.
    `--update-labels=${SOURCE_LABEL}=$SOURCE_HASH`,
    ...ownContainer(deployment, name),
    ...(decisionPoint ? decisionContainer(deployment) : []),
  ];
}

function ownContainer(deployment: Deployment, name: FunctionName): string[] {
  const secrets = secretsOf(deployment, name).map((variable) => `${variable}=${secretName(variable)}:latest`);
  const variables = Object.entries(environmentOf(deployment, name)).map(([variable, value]) => `${variable}=${value}`);
  return [
    '--container=function',
    `--source=dist/${name}`,
    `--function=${name}`,
    `--base-image=${BASE_IMAGE}`,
    `--build-service-account=${builder(deployment)}`,
    '--port=8080',
    `--liveness-probe=httpGet.path=/health,httpGet.port=8080,${PROBE}`,
    '--cpu=1',
    `--memory=${FUNCTIONS[name].memoryMiB}Mi`,
    `--set-env-vars=${listOf(variables)}`,
    // `--set-env-vars` keeps the secrets of an earlier deployment, which the account may no longer read.
    secrets.length > 0 ? `--set-secrets=${secrets.join(',')}` : '--clear-secrets',
    ...(FUNCTIONS[name].decisionPoint ? ['--depends-on=decision-point'] : []),
  ];
}

/** Returns a list for gcloud. If a value contains a comma, `|` separates the values (`gcloud topic escaping`). */
function listOf(values: readonly string[]): string {
  return values.some((value) => value.includes(',')) ? `^|^${values.join('|')}` : values.join(',');
}

function decisionContainer(deployment: Deployment): string[] {
  return [
    '--container=decision-point',
    `--image=${decisionPointRepository(deployment)}@$${DIGEST}`,
    '--cpu=1',
    '--memory=256Mi',
    `--startup-probe=httpGet.path=/_cerbos/health,httpGet.port=${DECISION_PORT}`,
    `--liveness-probe=httpGet.path=/_cerbos/health,httpGet.port=${DECISION_PORT},${PROBE}`,
  ];
}

function builder(deployment: Deployment): string {
  return `projects/${deployment.project}/serviceAccounts/${accountEmail(deployment, 'builder')}`;
}
