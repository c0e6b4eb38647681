import { z } from 'zod';
import { decisionPointRepository, decisionPointTag } from '../../decision-point.ts';
import { DECISION_PORT, environmentOf, secretsOf } from '../../environment.ts';
import { FUNCTION_NAMES, FUNCTIONS, type FunctionName } from '../../functions.ts';
import { accountEmail, IMAGES, secretName, serviceName } from '../../names.ts';
import { gcloud } from '../../step.ts';
import { BASE_IMAGE, SOURCE_LABEL } from '../../steps/functions.ts';
import { type Comparison, type Context, lastPart, type Resource, resource } from '../resource.ts';

const annotations = z.record(z.string(), z.string()).default({});
const probe = z
  .object({
    httpGet: z.object({ path: z.string(), port: z.int().optional() }).optional(),
    periodSeconds: z.int().optional(),
    timeoutSeconds: z.int().optional(),
    failureThreshold: z.int().optional(),
  })
  .optional();
const container = z.object({
  name: z.string().optional(),
  image: z.string(),
  env: z
    .array(
      z.object({
        name: z.string(),
        value: z.string().optional(),
        valueFrom: z.object({ secretKeyRef: z.object({ name: z.string(), key: z.string() }) }).optional(),
      }),
    )
    .default([]),
  resources: z.object({ limits: z.record(z.string(), z.string()) }),
  livenessProbe: probe,
  startupProbe: probe,
});
const service = z.object({
  metadata: z.object({ name: z.string(), annotations, labels: z.record(z.string(), z.string()).default({}) }),
  spec: z.object({
    template: z.object({
      metadata: z.object({ annotations }),
      spec: z.object({
        serviceAccountName: z.string(),
        containerConcurrency: z.int().optional(),
        timeoutSeconds: z.int().optional(),
        containers: z.array(container),
      }),
    }),
    traffic: z.array(
      z.object({
        latestRevision: z.boolean().optional(),
        percent: z.int().optional(),
        revisionName: z.string().optional(),
      }),
    ),
  }),
});
const images = z.array(
  z.object({ package: z.string(), version: z.string(), tags: z.union([z.string(), z.array(z.string())]).optional() }),
);
const repositories = z.array(z.object({ name: z.string(), format: z.string() }));

/** Cloud Run functions with all their settings, and the image of the policy decision point. */
export function compareFunctions(context: Context): Comparison {
  const { deployment, ask, isEnabled } = context;
  const { region } = deployment;
  const found = isEnabled('run') ? ask(gcloud('run', 'services', 'list', `--region=${region}`), z.array(service)) : [];
  const repository = (
    isEnabled('artifactregistry')
      ? ask(gcloud('artifacts', 'repositories', 'list', `--location=${region}`), repositories)
      : []
  ).filter(({ name }) => lastPart(name) === IMAGES);
  const image = repository.length > 0 ? findImage(context) : undefined;
  return {
    expected: [
      resource('image repository', { format: 'DOCKER' }),
      resource('decision point image'),
      ...FUNCTION_NAMES.map((name) => expectFunction(context, name, image)),
    ],
    found: [
      ...repository.map(({ format }) => resource('image repository', { format })),
      ...(image === undefined ? [] : [resource('decision point image')]),
      ...found.filter(({ metadata }) => metadata.name.startsWith('encryption-')).map(viewFunction),
    ],
  };
}

/** Returns the digest of the image with this checkout's policies. */
function findImage({ deployment, ask }: Context): string | undefined {
  const repository = decisionPointRepository(deployment);
  const parent = repository.slice(0, repository.lastIndexOf('/'));
  const listed = ask(gcloud('artifacts', 'docker', 'images', 'list', parent, '--include-tags'), images);
  const tag = decisionPointTag();
  return listed.find(
    ({ package: name, tags }) => name === repository && [tags].flat().join().split(/, ?/).includes(tag),
  )?.version;
}

function expectFunction(
  { deployment, closed, codeOf }: Context,
  name: FunctionName,
  image: string | undefined,
): Resource {
  const { caller, concurrency, timeoutSeconds, instances, memoryMiB, decisionPoint } = FUNCTIONS[name];
  const variables = Object.entries(environmentOf(deployment, name)).map(([variable, value]) => [
    `env ${variable}`,
    value === '$CLOSED_BEFORE' ? String(closed) : value,
  ]);
  const secrets = secretsOf(deployment, name).map((variable) => [
    `env ${variable}`,
    `secret ${secretName(variable)}:latest`,
  ]);
  const environment = Object.fromEntries([...variables, ...secrets]);
  return resource(`function ${name}`, {
    account: accountEmail(deployment, name),
    ingress: caller === 'scheduler' ? 'internal' : 'all',
    invokerCheckDisabled: false,
    ...(codeOf(name) !== undefined && { code: codeOf(name) }),
    target: name,
    baseImage: BASE_IMAGE,
    concurrency,
    timeout: timeoutSeconds,
    minInstances: instances[0],
    maxInstances: instances[1],
    traffic: '100% to the latest revision',
    cpu: 1,
    memory: `${memoryMiB}Mi`,
    liveness: '/health:8080 10/10/3',
    variables: Object.keys(environment)
      .map((one) => one.slice('env '.length))
      .toSorted()
      .join(' '),
    ...environment,
    containers: decisionPoint ? 2 : 1,
    ...(decisionPoint && {
      'decision point image': `${decisionPointRepository(deployment)}@${image ?? 'the image that is missing'}`,
      'decision point cpu': 1,
      'decision point memory': '256Mi',
      'decision point startup': `/_cerbos/health:${DECISION_PORT}`,
      'decision point liveness': `/_cerbos/health:${DECISION_PORT} 10/10/3`,
    }),
  });
}

function viewFunction({ metadata, spec: { template, traffic } }: z.output<typeof service>): Resource {
  const { spec } = template;
  const [own, decision] = [...spec.containers].sort((one) => (one.name === 'decision-point' ? 1 : -1));
  const variables = own?.env ?? [];
  const name = FUNCTION_NAMES.find((one) => serviceName(one) === metadata.name);
  return resource(`function ${name ?? metadata.name}`, {
    account: spec.serviceAccountName,
    ingress: metadata.annotations['run.googleapis.com/ingress'],
    invokerCheckDisabled: metadata.annotations['run.googleapis.com/invoker-iam-disabled'],
    code: metadata.labels[SOURCE_LABEL],
    target: metadata.annotations['run.googleapis.com/build-function-target'],
    baseImage: /^(?:.*\/)?([^/:@]+)/.exec(metadata.annotations['run.googleapis.com/build-base-image'] ?? '')?.[1],
    concurrency: spec.containerConcurrency,
    timeout: spec.timeoutSeconds,
    minInstances: template.metadata.annotations['autoscaling.knative.dev/minScale'],
    maxInstances: template.metadata.annotations['autoscaling.knative.dev/maxScale'],
    traffic: traffic
      .map(
        ({ percent, latestRevision, revisionName }) =>
          `${percent}% to ${latestRevision ? 'the latest revision' : revisionName}`,
      )
      .join(', '),
    cpu: own?.resources.limits.cpu === '1000m' ? '1' : own?.resources.limits.cpu,
    memory: own?.resources.limits.memory,
    liveness: viewProbe(own?.livenessProbe),
    variables: variables
      .map((one) => one.name)
      .toSorted()
      .join(' '),
    ...Object.fromEntries(
      variables.map((one) => {
        const secret = one.valueFrom?.secretKeyRef;
        return [`env ${one.name}`, secret === undefined ? one.value : `secret ${secret.name}:${secret.key}`];
      }),
    ),
    containers: spec.containers.length,
    ...(decision && {
      'decision point image': decision.image,
      'decision point cpu': decision.resources.limits.cpu === '1000m' ? '1' : decision.resources.limits.cpu,
      'decision point memory': decision.resources.limits.memory,
      'decision point startup': viewTarget(decision.startupProbe),
      'decision point liveness': viewProbe(decision.livenessProbe),
    }),
  });
}

function viewTarget(found: z.output<typeof probe>): string {
  return found?.httpGet === undefined ? '' : `${found.httpGet.path}:${found.httpGet.port}`;
}

function viewProbe(found: z.output<typeof probe>): string {
  if (found?.httpGet === undefined) return '';
  const { periodSeconds, timeoutSeconds, failureThreshold } = found;
  return `${viewTarget(found)} ${periodSeconds}/${timeoutSeconds}/${failureThreshold}`;
}
