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
import { type Change, gcloud, named, type Step } from '../step.ts';

export function createRoles({ project }: Deployment): Step[] {
  return Object.entries(CUSTOM_ROLES).map(([role, permissions]) => {
    const settings = [`--project=${project}`, `--permissions=${permissions.join(',')}`, '--stage=GA'];
    return {
      what: `role ${role}`,
      find: gcloud('iam', 'roles', 'list', `--project=${project}`, named(role), '--format=value(name)'),
      create: gcloud('iam', 'roles', 'create', role, ...settings),
      update: gcloud('iam', 'roles', 'update', role, ...settings),
    };
  });
}

/**
 * Returns the steps that grant all roles except the right to call functions. Functions need these roles before they are
 * deployed.
 */
export function grantAccess(deployment: Deployment): Step[] {
  return grantSteps(deployment, ({ on }) => on !== 'its functions');
}

/** Returns the steps that grant the right to call functions. The functions must already be deployed. */
export function grantCalls(deployment: Deployment): Step[] {
  return grantSteps(deployment, ({ on }) => on === 'its functions');
}

/**
 * Returns a step for each grant. The step skips an existing grant, because Google logs every grant as a change, which
 * raises the alert `root-changed`.
 */
function grantSteps(deployment: Deployment, isWanted: (grant: Grant) => boolean): Step[] {
  return grantedBindings(deployment, isWanted).map(({ what, member, role, target: { group, resource } }) => ({
    what,
    find: gcloud(
      ...[...group, 'get-iam-policy', ...resource, '--flatten=bindings[].members'],
      `--filter=bindings.role="${role}" AND bindings.members="${member}" AND NOT bindings.condition:*`,
      '--format=value(bindings.role)',
    ),
    create: gcloud(
      ...[...group, 'add-iam-policy-binding', ...resource, `--member=${member}`, `--role=${role}`],
      ...(hasConditions(group) ? ['--condition=None'] : []),
    ),
    patient: true,
  }));
}

/** Returns every binding that a deployment grants. `what` describes it for people. */
export function grantedBindings(deployment: Deployment, isWanted: (grant: Grant) => boolean = () => true) {
  return GRANTS.filter(isWanted).flatMap((grant) =>
    grant.actors.flatMap((actor) => {
      const member = `serviceAccount:${accountEmail(deployment, actor)}`;
      const role = grant.role in CUSTOM_ROLES ? `projects/${deployment.project}/roles/${grant.role}` : grant.role;
      const what = `${actor}: ${grant.role} on ${grant.on}`;
      return targets(deployment, grant, actor).map((target) => ({ what, member, role, target }));
    }),
  );
}

/** Returns the steps that remove bindings which the deployment does not grant. */
export function removeBindings(bindings: readonly { target: Target; member: string; role: string }[]): Change[] {
  return bindings.map(({ target: { group, resource }, member, role }) => ({
    what: `removal of ${role} of ${member} on ${[...group, resource[0]].join(' ')}`,
    create: gcloud(
      ...[...group, 'remove-iam-policy-binding', ...resource, `--member=${member}`, `--role=${role}`],
      ...(hasConditions(group) ? ['--condition=None'] : []),
    ),
  }));
}

/** Whether the commands for bindings ask about conditions. */
function hasConditions([group]: readonly string[]): boolean {
  return group !== 'run';
}

/** The resource of a grant, as words of a gcloud command: `group` comes before the verb, and `resource` after it. */
export interface Target {
  readonly group: readonly string[];
  readonly resource: readonly string[];
}

function targets(deployment: Deployment, { on }: Grant, actor: Actor): Target[] {
  const { project, region } = deployment;
  const at = `--location=${region}`;
  switch (on) {
    case 'project':
      return [{ group: ['projects'], resource: [project] }];
    case 'tenant key ring':
      return [{ group: ['kms', 'keyrings'], resource: [TENANTS_RING, at] }];
    case 'wrapped root':
      return [{ group: ['kms', 'keys'], resource: [WRAPPED_ROOT, `--keyring=${ROOT_RING}`, at] }];
    case 'signing key':
      return [{ group: ['kms', 'keys'], resource: [AUDIT_SIGNING, `--keyring=${ROOT_RING}`, at] }];
    case 'its secrets': {
      const name = FUNCTION_NAMES.find((one) => one === actor);
      const secrets = name === undefined ? [] : secretsOf(deployment, name);
      return secrets.map((secret) => ({ group: ['secrets'], resource: [secretName(secret)] }));
    }
    case 'its functions':
      return actor === 'gateway' || actor === 'scheduler'
        ? functionsOf(actor).map((name) => ({
            group: ['run', 'services'],
            resource: [serviceName(name), `--region=${region}`],
          }))
        : [];
  }
}
