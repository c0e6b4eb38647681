import { z } from 'zod';
import { ENDED } from '../shared/kms/kms.ts';
import { DECISION_POINT } from './decision-point.ts';
import { OUR_SECRETS, readBindings } from './drift/bindings.ts';
import { isConsoleHosted } from './drift/kinds/firebase.ts';
import { type Context, lastPart } from './drift/resource.ts';
import { BALANCER, DATABASE, GATEWAY, IMAGES, ROOT_RING, TENANTS_RING } from './names.ts';
import { type Change, type Command, gcloud } from './step.ts';
import { removeBindings } from './steps/access.ts';
import { BUDGET } from './steps/budget.ts';
import { ALERT, CHANNEL, DOMAIN_CHECK, GATEWAY_CHECK } from './steps/monitoring.ts';

/** What `--destroy` says before it asks. */
export const WARNING = `This deletes the deployment: schedules, gateway, functions, alerts, secrets, accounts, its images and the database.

Cannot be undone:
- The database is deleted with all tenants, keys, audit logs and data keys. Everything that was encrypted with a free or
  wrapped key is lost. Google keeps the backups of the last seven days until they expire.
- The secrets are deleted. Stripe's subscriptions go on: cancel them at Stripe.

Stays:
- the project, its APIs, its logs, Firebase, the custom roles, and everything that is not part of the deployment
- the setting that the KMS and Firestore have Data Access logs
- the buckets of Cloud Run and Cloud Build, with the source of the functions and policies: other services may use them
- the key rings and keys, which Google never deletes
`;
export const WARNING_KEYS = `
With --keys, all versions of all keys are destroyed too, the wrapped root included. You can undo this only until Google
destroys them: for 24 hours or more for tenants' keys, 120 days for the wrapped root and the signing key. After that, everything
that was encrypted with software and hsm keys is lost as well, and nobody can deploy to this region of the project again.
`;
export const WITHOUT_KEYS = `
The versions of the keys stay usable. They cost money, and they decrypt what was encrypted with software and hsm keys.
To destroy them too, use --destroy --keys.
`;

const named = z.array(z.object({ name: z.string() }));
const displayed = z.array(z.object({ name: z.string(), displayName: z.string() }));
const services = z.array(z.object({ metadata: z.object({ name: z.string() }) }));
const accounts = z.array(z.object({ email: z.string() }));
const channels = z.array(z.object({ name: z.string(), displayName: z.string().optional() }));
const alerts = z.array(
  z.object({ name: z.string(), displayName: z.string(), notificationChannels: z.array(z.string()).default([]) }),
);
const versions = z.array(z.object({ name: z.string(), state: z.string() }));

/**
 * Returns the steps that delete the deployment, in the reverse order of its creation. Only what exists gets a step, so
 * an interrupted run can be repeated.
 */
export function planDestruction(context: Context, withKeys: boolean): Change[] {
  return [
    ...deleteEntrances(context),
    ...deleteMonitoring(context),
    ...deleteAccess(context),
    ...deleteStore(context),
    ...(withKeys ? destroyKeys(context) : []),
  ];
}

function step(what: string, create: Command): Change {
  return { what, create };
}

/** Schedules, gateway, functions and console: after these steps, nothing can reach the data. */
function deleteEntrances(context: Context): Change[] {
  const { deployment, ask, isEnabled } = context;
  const { project, region } = deployment;
  const at = `--location=${region}`;
  const api = `--api=${GATEWAY}`;
  const list = (enabled: string, ...words: string[]) =>
    isEnabled(enabled) ? ask(gcloud(...words), named).map(({ name }) => lastPart(name)) : [];
  const jobs = list('cloudscheduler', 'scheduler', 'jobs', 'list', at).filter(isOurs);
  const gateways = list('apigateway', 'api-gateway', 'gateways', 'list', at).filter((name) => name === GATEWAY);
  const apis = list('apigateway', 'api-gateway', 'apis', 'list').filter((name) => name === GATEWAY);
  const configs = apis.length > 0 ? list('apigateway', 'api-gateway', 'api-configs', 'list', api) : [];
  const functions = isEnabled('run') ? ask(gcloud('run', 'services', 'list', `--region=${region}`), services) : [];
  const hosting = ['npx', 'firebase', 'hosting:disable', '--force', `--project=${project}`];
  return [
    ...jobs.map((name) => step(`schedule ${name}`, gcloud('scheduler', 'jobs', 'delete', name, at))),
    ...gateways.map((name) => step('gateway', gcloud('api-gateway', 'gateways', 'delete', name, at))),
    ...configs.map((name) =>
      step(`gateway configuration ${name}`, gcloud('api-gateway', 'api-configs', 'delete', name, api)),
    ),
    ...apis.map((name) => step('gateway API', gcloud('api-gateway', 'apis', 'delete', name))),
    ...(isConsoleHosted(context) ? [step('console', hosting)] : []),
    ...deleteBalancer(context),
    ...functions
      .map(({ metadata: { name } }) => name)
      .filter(isOurs)
      .map((name) => step(`function ${name}`, gcloud('run', 'services', 'delete', name, `--region=${region}`))),
    ...deleteImages(context),
  ];
}

/** The images. The repository is the default of Cloud Run, so it may have images of other services, which stay. */
function deleteImages({ deployment: { region }, ask, isEnabled }: Context): Change[] {
  const at = `--location=${region}`;
  const repositories = isEnabled('artifactregistry') ? ask(gcloud('artifacts', 'repositories', 'list', at), named) : [];
  if (!repositories.some(({ name }) => lastPart(name) === IMAGES)) return [];
  const inside = [`--repository=${IMAGES}`, at];
  const packages = ask(gcloud('artifacts', 'packages', 'list', ...inside), named).map(({ name }) => lastPart(name));
  const own = packages.filter((name) => isOurs(name) || name === DECISION_POINT);
  if (own.length === packages.length)
    return [step('image repository', gcloud('artifacts', 'repositories', 'delete', IMAGES, at))];
  return own.map((name) => step(`images of ${name}`, gcloud('artifacts', 'packages', 'delete', name, ...inside)));
}

/** The load balancer, from the outside in: Google refuses to delete a part that another part uses. */
function deleteBalancer({ deployment: { region }, ask, isEnabled }: Context): Change[] {
  if (!isEnabled('compute')) return [];
  const group = 'network-endpoint-groups';
  const parts = [
    ...['forwarding-rules', 'target-https-proxies', 'url-maps', 'backend-services', group, 'ssl-certificates'],
    'addresses',
  ];
  const exists = (part: string) => ask(gcloud('compute', part, 'list'), named).some(({ name }) => name === BALANCER);
  const at = (part: string) => (part === group ? `--region=${region}` : '--global');
  return parts
    .filter(exists)
    .map((part) => step(`${part} of the balancer`, gcloud('compute', part, 'delete', BALANCER, at(part))));
}

function deleteMonitoring({ deployment: { project, budget }, ask, isEnabled }: Context): Change[] {
  if (!isEnabled('monitoring')) return [];
  const policies = ask(gcloud('alpha', 'monitoring', 'policies', 'list'), alerts);
  const isOwn = ({ displayName }: { displayName: string }) => displayName.startsWith(ALERT);
  const usedByOthers = policies.filter((one) => !isOwn(one)).flatMap((one) => one.notificationChannels);
  const checks = ask(gcloud('monitoring', 'uptime', 'list-configs'), displayed);
  const found = ask(gcloud('beta', 'monitoring', 'channels', 'list'), channels);
  const metrics = isEnabled('logging') ? ask(gcloud('logging', 'metrics', 'list'), named) : [];
  const budgets =
    budget && isEnabled('billingbudgets')
      ? ask(gcloud('billing', 'budgets', 'list', `--billing-account=${budget.billingAccount}`), displayed)
      : [];
  return [
    ...budgets
      .filter(({ displayName }) => displayName === `${BUDGET} ${project}`)
      .map(({ name }) => step('budget', gcloud('billing', 'budgets', 'delete', name))),
    ...policies
      .filter(isOwn)
      .map(({ name, displayName }) =>
        step(`alert ${displayName}`, gcloud('alpha', 'monitoring', 'policies', 'delete', name)),
      ),
    ...checks
      .filter(({ displayName }) => displayName === GATEWAY_CHECK || displayName === DOMAIN_CHECK)
      .map(({ name }) => step('uptime check', gcloud('monitoring', 'uptime', 'delete', lastPart(name)))),
    ...found
      .filter(({ displayName }) => displayName === CHANNEL)
      .map(({ name }) =>
        step(
          'notification channel',
          // Google refuses to delete a channel that an alert uses.
          usedByOthers.includes(name)
            ? ['echo', 'It stays, because alerts of others use it.']
            : gcloud('beta', 'monitoring', 'channels', 'delete', name),
        ),
      ),
    ...metrics
      .filter(({ name }) => name.startsWith('encryption/'))
      .map(({ name }) => step(`metric ${name}`, gcloud('logging', 'metrics', 'delete', name))),
  ];
}

/** Secrets, accounts, and grants on the project and on keys, which outlive an account. */
function deleteAccess(context: Context): Change[] {
  const { deployment, ask, isEnabled } = context;
  const ours = new RegExp(`^serviceAccount:encryption-[a-z-]+@${deployment.project}\\.`);
  const lasting = readBindings(context).filter(
    ({ target: { group }, member, condition }) =>
      ours.test(member) && condition === '' && (group[0] === 'projects' || group[0] === 'kms'),
  );
  const secrets = isEnabled('secretmanager')
    ? ask(gcloud('secrets', 'list'), named).map(({ name }) => lastPart(name))
    : [];
  const emails = ask(gcloud('iam', 'service-accounts', 'list'), accounts).map(({ email }) => email);
  return [
    ...removeBindings(lasting),
    ...secrets
      .filter((name) => OUR_SECRETS.includes(name))
      .map((name) => step(`secret ${name}`, gcloud('secrets', 'delete', name))),
    ...emails
      .filter(isOurs)
      .map((email) => step(`service account ${email}`, gcloud('iam', 'service-accounts', 'delete', email))),
  ];
}

function deleteStore({ ask, isEnabled }: Context): Change[] {
  const database = `--database=${DATABASE}`;
  const found = isEnabled('firestore') ? ask(gcloud('firestore', 'databases', 'list'), named) : [];
  if (!found.some(({ name }) => lastPart(name) === DATABASE)) return [];
  return [
    step(
      'delete protection of the database',
      gcloud('firestore', 'databases', 'update', database, '--no-delete-protection'),
    ),
    step('database', gcloud('firestore', 'databases', 'delete', database)),
  ];
}

/** Every version of every key in our key rings, the wrapped root last. */
function destroyKeys({ deployment: { region }, ask, isEnabled }: Context): Change[] {
  const at = `--location=${region}`;
  const rings = isEnabled('cloudkms')
    ? ask(gcloud('kms', 'keyrings', 'list', at), named).map(({ name }) => lastPart(name))
    : [];
  return [TENANTS_RING, ROOT_RING]
    .filter((ring) => rings.includes(ring))
    .flatMap((ring) =>
      ask(gcloud('kms', 'keys', 'list', `--keyring=${ring}`, at), named).map(
        ({ name }) => [ring, lastPart(name)] as const,
      ),
    )
    .flatMap(([ring, key]) => {
      const of = [`--key=${key}`, `--keyring=${ring}`, at];
      return ask(gcloud('kms', 'keys', 'versions', 'list', ...of), versions)
        .filter(({ state }) => !ENDED.includes(state))
        .map(({ name }) => lastPart(name))
        .map((version) =>
          step(`version ${version} of ${key}`, gcloud('kms', 'keys', 'versions', 'destroy', version, ...of)),
        );
    });
}

function isOurs(name: string): boolean {
  return name.startsWith('encryption-');
}
