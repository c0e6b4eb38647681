import { CUSTOM_ROLES, GRANTS, type Grant } from '../access.ts';
import type { Deployment } from '../deployment.ts';
import { secretsOf } from '../environment.ts';
import { FUNCTION_NAMES, functionsOf } from '../functions.ts';
import {
  type Actor,
  AUDIT_SIGNING,
  accountEmail,
  ROOT_RING,
  secretName,
  serviceName,
  TENANTS_RING,
  WRAPPED_ROOT,
} from '../names.ts';
import { gcloud, type Step } from '../step.ts';

/** The custom roles. */
export function createRoles({ project }: Deployment): Step[] {
  return Object.entries(CUSTOM_ROLES).map(([role, permissions]) => {
    const settings = [`--project=${project}`, `--permissions=${permissions.join(',')}`, '--stage=GA'];
    return {
      what: `role ${role}`,
      find: gcloud('iam', 'roles', 'describe', role, `--project=${project}`, '--format=value(name)'),
      create: gcloud('iam', 'roles', 'create', role, ...settings),
      update: gcloud('iam', 'roles', 'update', role, ...settings),
    };
  });
}

/** The grants that functions need before they are deployed. */
export function grantAccess(deployment: Deployment): Step[] {
  return grantSteps(deployment, ({ on }) => on !== 'its callees');
}

/** The grants to call functions, which have to exist for it. */
export function grantCalls(deployment: Deployment): Step[] {
  return grantSteps(deployment, ({ on }) => on === 'its callees');
}

function grantSteps(deployment: Deployment, isWanted: (grant: Grant) => boolean): Step[] {
  return GRANTS.filter(isWanted).flatMap((grant) =>
    grant.actors.flatMap((actor) =>
      targets(deployment, grant, actor).map((target) => ({
        what: `${actor}: ${grant.role} on ${grant.on}`,
        create: gcloud(
          ...target,
          `--member=serviceAccount:${accountEmail(deployment, actor)}`,
          `--role=${grant.role in CUSTOM_ROLES ? `projects/${deployment.project}/roles/${grant.role}` : grant.role}`,
          ...(grant.on === 'its callees' ? [] : ['--condition=None']),
        ),
      })),
    ),
  );
}

/** The commands that bind a role on the grant's resources, without member and role. */
function targets(deployment: Deployment, { on }: Grant, actor: Actor): string[][] {
  const { project, region } = deployment;
  const bind = 'add-iam-policy-binding';
  switch (on) {
    case 'project':
      return [['projects', bind, project]];
    case 'key ring of tenants':
      return [['kms', 'keyrings', bind, TENANTS_RING, `--location=${region}`]];
    case 'wrapped root':
      return [['kms', 'keys', bind, WRAPPED_ROOT, `--keyring=${ROOT_RING}`, `--location=${region}`]];
    case 'signing key':
      return [['kms', 'keys', bind, AUDIT_SIGNING, `--keyring=${ROOT_RING}`, `--location=${region}`]];
    case 'its secrets': {
      const name = FUNCTION_NAMES.find((one) => one === actor);
      const secrets = name === undefined ? [] : secretsOf(deployment, name);
      return secrets.map((secret) => ['secrets', bind, secretName(secret)]);
    }
    case 'its callees':
      return actor === 'gateway' || actor === 'scheduler'
        ? functionsOf(actor).map((name) => ['run', 'services', bind, serviceName(name), `--region=${region}`])
        : [];
  }
}
