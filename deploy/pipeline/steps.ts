import type { Deployment } from '../deployment.ts';
import { type Change, gcloud, named } from '../step.ts';

const POOL = 'pipeline';
const PROVIDER = 'github';
const ISSUER = 'https://token.actions.githubusercontent.com';
const AT = '--location=global';

const APIS = ['cloudresourcemanager', 'iam', 'iamcredentials', 'serviceusage', 'sts'];

/** The account that plans may read everything except data and secrets. */
const PLAN_ROLES = ['roles/viewer', 'roles/iam.securityReviewer', 'roles/serviceusage.serviceUsageConsumer'];

/**
 * The account that deploys has the role of each service that the plan changes. It may grant roles, so it can make
 * itself an owner: only a job that people have approved may use it.
 */
const DEPLOY_ROLES = [
  'roles/apigateway.admin',
  'roles/artifactregistry.admin',
  'roles/cloudbuild.builds.editor',
  'roles/cloudkms.admin',
  'roles/cloudscheduler.admin',
  'roles/compute.loadBalancerAdmin',
  'roles/datastore.owner',
  'roles/firebase.admin',
  'roles/iam.roleAdmin',
  'roles/iam.serviceAccountAdmin',
  'roles/iam.serviceAccountUser',
  'roles/logging.admin',
  'roles/monitoring.admin',
  'roles/resourcemanager.projectIamAdmin',
  'roles/run.admin',
  'roles/secretmanager.admin',
  'roles/servicemanagement.admin',
  'roles/serviceusage.serviceUsageAdmin',
  'roles/storage.admin',
];

interface Pipeline {
  /** The GitHub repository, as OWNER/NAME. */
  readonly repository: string;
  /** The GitHub environment whose approved jobs may deploy. */
  readonly environment: string;
}

/**
 * Returns the steps that let a pipeline of GitHub Actions deploy without a key file. Jobs of the branch main may plan.
 * Only jobs of the environment may deploy.
 */
export function createPipeline(deployment: Deployment, { repository, environment }: Pipeline): Change[] {
  const { project, projectNumber } = deployment;
  const ofPool = `--workload-identity-pool=${POOL}`;
  const pool = `principalSet://iam.googleapis.com/projects/${projectNumber}/locations/global/workloadIdentityPools/${POOL}`;
  return [
    {
      what: 'APIs for the pipeline',
      create: gcloud('services', 'enable', ...APIS.map((api) => `${api}.googleapis.com`)),
    },
    {
      what: 'pool for the pipeline',
      find: gcloud('iam', 'workload-identity-pools', 'list', AT, named(POOL), '--format=value(name)'),
      create: gcloud('iam', 'workload-identity-pools', 'create', POOL, AT, '--display-name=Pipeline'),
    },
    {
      what: 'provider for GitHub',
      find: gcloud(
        'iam',
        'workload-identity-pools',
        'providers',
        'list',
        ofPool,
        AT,
        named(PROVIDER),
        '--format=value(name)',
      ),
      create: gcloud(
        ...['iam', 'workload-identity-pools', 'providers', 'create-oidc', PROVIDER],
        ...provider(repository),
      ),
      update: gcloud(
        ...['iam', 'workload-identity-pools', 'providers', 'update-oidc', PROVIDER],
        ...provider(repository),
      ),
    },
    ...account(project, 'pipeline-plan', PLAN_ROLES, `${pool}/attribute.ref/refs/heads/main`),
    ...account(project, 'pipeline-deploy', DEPLOY_ROLES, `${pool}/attribute.environment/${environment}`),
    ...grantBudget(deployment),
  ];
}

/** Returns the steps that let the pipeline read and change the budget, which belongs to the billing account. */
function grantBudget({ project, budget }: Deployment): Change[] {
  if (budget === undefined) return [];
  const roles = { 'pipeline-plan': 'roles/billing.viewer', 'pipeline-deploy': 'roles/billing.costsManager' };
  return Object.entries(roles).map(([id, role]) => ({
    what: `${id}: ${role} on the billing account`,
    create: gcloud(
      ...['billing', 'accounts', 'add-iam-policy-binding', budget.billingAccount, `--role=${role}`],
      `--member=serviceAccount:${id}@${project}.iam.gserviceaccount.com`,
    ),
    patient: true,
  }));
}

function provider(repository: string): string[] {
  const mapping = [
    'google.subject=assertion.sub',
    'attribute.ref=assertion.ref',
    'attribute.environment=assertion.environment',
  ];
  return [
    AT,
    `--workload-identity-pool=${POOL}`,
    `--issuer-uri=${ISSUER}`,
    `--attribute-mapping=${mapping.join(',')}`,
    // Every repository of GitHub has the same issuer. Without this condition, any of them could sign in.
    `--attribute-condition=assertion.repository == '${repository}' && assertion.ref == 'refs/heads/main'`,
  ];
}

/** Returns the steps that create an account with roles, and let the jobs of `principal` use the account. */
function account(project: string, id: string, roles: readonly string[], principal: string): Change[] {
  const email = `${id}@${project}.iam.gserviceaccount.com`;
  const member = `--member=serviceAccount:${email}`;
  return [
    {
      what: `service account ${id}`,
      find: gcloud('iam', 'service-accounts', 'list', `--filter=email="${email}"`, '--format=value(email)'),
      create: gcloud('iam', 'service-accounts', 'create', id, `--display-name=${id}`),
    },
    ...roles.map(
      (role): Change => ({
        what: `${id}: ${role}`,
        create: gcloud('projects', 'add-iam-policy-binding', project, member, `--role=${role}`, '--condition=None'),
        patient: true,
      }),
    ),
    {
      what: `jobs that may use ${id}`,
      create: gcloud(
        ...['iam', 'service-accounts', 'add-iam-policy-binding', email, `--member=${principal}`],
        ...['--role=roles/iam.workloadIdentityUser', '--condition=None'],
      ),
      patient: true,
    },
  ];
}
