import { decisionPointImage } from '../decision-point.ts';
import type { Deployment } from '../deployment.ts';
import { DECISION_PORT, environmentOf, secretsOf } from '../environment.ts';
import { FUNCTION_NAMES, FUNCTIONS, type FunctionName } from '../functions.ts';
import { accountEmail, IMAGES, secretName, serviceName } from '../names.ts';
import { gcloud, type Step } from '../step.ts';

/** The decision point's image: Cerbos with the policies of this repository. */
export function buildDecisionPoint(deployment: Deployment): Step[] {
  const { region } = deployment;
  const image = decisionPointImage(deployment);
  return [
    {
      what: 'repository of images',
      find: gcloud('artifacts', 'repositories', 'describe', IMAGES, `--location=${region}`, '--format=value(name)'),
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
      what: 'image of the decision point',
      find: gcloud('artifacts', 'docker', 'images', 'describe', image, '--format=value(image_summary.digest)'),
      create: gcloud(
        ...['builds', 'submit', 'policies', `--tag=${image}`, `--region=${region}`],
        ...[`--service-account=${builder(deployment)}`, '--default-buckets-behavior=regional-user-owned-bucket'],
      ),
    },
  ];
}

/** The functions, each a Cloud Run service whose traffic all goes to the new revision. */
export function deployFunctions(deployment: Deployment): Step[] {
  return FUNCTION_NAMES.flatMap((name) => [
    { what: `function ${name}`, create: gcloud('run', 'deploy', serviceName(name), ...settings(deployment, name)) },
    {
      what: `traffic of ${name}`,
      create: gcloud(
        ...['run', 'services', 'update-traffic', serviceName(name), '--to-latest', `--region=${deployment.region}`],
      ),
    },
  ]);
}

function settings(deployment: Deployment, name: FunctionName): string[] {
  const { caller, concurrency, timeoutSeconds, instances, decisionPoint } = FUNCTIONS[name];
  return [
    `--region=${deployment.region}`,
    `--service-account=${accountEmail(deployment, name)}`,
    '--no-allow-unauthenticated',
    // Google's scheduler counts as internal traffic, its gateway does not.
    `--ingress=${caller === 'scheduler' ? 'internal' : 'all'}`,
    `--concurrency=${concurrency}`,
    `--timeout=${timeoutSeconds}`,
    `--min-instances=${instances[0]}`,
    `--max-instances=${instances[1]}`,
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
    '--base-image=nodejs24',
    `--build-service-account=${builder(deployment)}`,
    '--port=8080',
    '--cpu=1',
    `--memory=${FUNCTIONS[name].memoryMiB}Mi`,
    `--set-env-vars=${variables.join(',')}`,
    ...(secrets.length > 0 ? [`--set-secrets=${secrets.join(',')}`] : []),
    ...(FUNCTIONS[name].decisionPoint ? ['--depends-on=decision-point'] : []),
  ];
}

function decisionContainer(deployment: Deployment): string[] {
  return [
    '--container=decision-point',
    `--image=${decisionPointImage(deployment)}`,
    '--cpu=1',
    '--memory=256Mi',
    `--startup-probe=httpGet.path=/_cerbos/health,httpGet.port=${DECISION_PORT}`,
  ];
}

function builder(deployment: Deployment): string {
  return `projects/${deployment.project}/serviceAccounts/${accountEmail(deployment, 'builder')}`;
}
