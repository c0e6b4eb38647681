import { z } from 'zod';
import { SECRETS } from '../functions.ts';
import {
  ACTORS,
  AUDIT_SIGNING,
  accountEmail,
  BALANCER_SECRET_NAME,
  IMAGES,
  ROOT_RING,
  SMOKE_KEY,
  secretName,
  TENANTS_RING,
  WRAPPED_ROOT,
} from '../names.ts';
import { gcloud } from '../step.ts';
import { grantedBindings, type Target } from '../steps/access.ts';
import { type Comparison, type Context, lastPart, resource } from './resource.ts';

/** A role that somebody has on a resource. */
export interface Binding {
  readonly target: Target;
  readonly member: string;
  readonly role: string;
  /** The text of the binding's condition, or an empty string. */
  readonly condition: string;
}

/** The secrets that a deployment can have. */
export const OUR_SECRETS: readonly string[] = [...SECRETS.map(secretName), SMOKE_KEY, BALANCER_SECRET_NAME];

const policy = z.object({
  bindings: z
    .array(
      z.object({
        role: z.string(),
        members: z.array(z.string()).default([]),
        condition: z.object({ expression: z.string() }).optional(),
      }),
    )
    .default([]),
});
const named = z.array(z.object({ name: z.string() }));
const services = z.array(z.object({ metadata: z.object({ name: z.string() }) }));

/**
 * Returns all bindings on our resources and accounts. On the project, returns only bindings of our accounts, because
 * others can use the project, too.
 */
export function readBindings(context: Context): Binding[] {
  const { deployment, ask } = context;
  const own = new Set(ACTORS.map((actor) => `serviceAccount:${accountEmail(deployment, actor)}`));
  return targetsOf(context).flatMap((target) => {
    const isProject = target.group[0] === 'projects';
    const { bindings } = ask(gcloud(...target.group, 'get-iam-policy', ...target.resource), policy);
    return bindings.flatMap(({ role, members, condition }) =>
      members
        .filter((member) => !isProject || own.has(member))
        .map((member) => ({ target, member, role, condition: condition?.expression ?? '' })),
    );
  });
}

export function compareBindings(context: Context): Comparison {
  const { deployment } = context;
  const view = ({ target, member, role, condition }: Binding) =>
    resource(
      `grant to ${member} of ${lastPart(role)} on ${[...target.group, target.resource[0]].join(' ')}${condition === '' ? '' : ` if ${condition}`}`,
    );
  return {
    expected: grantedBindings(deployment).map((one) => view({ ...one, condition: '' })),
    found: readBindings(context).map(view),
  };
}

/**
 * Returns the bindings of our accounts that the deployment does not grant, such as those of an earlier release. Bindings
 * with a condition are left out: no release grants any, so a person must decide about them.
 */
export function surplusBindings(context: Context): Binding[] {
  const name = ({ target, member, role }: Pick<Binding, 'target' | 'member' | 'role'>) =>
    [...target.group, ...target.resource, member, role].join(' ');
  const granted = new Set(grantedBindings(context.deployment).map(name));
  const account = new RegExp(
    `^serviceAccount:encryption-[a-z-]+@${context.deployment.project}\\.iam\\.gserviceaccount\\.com$`,
  );
  return readBindings(context).filter(
    (one) => account.test(one.member) && one.condition === '' && !granted.has(name(one)),
  );
}

/** Returns our resources that exist. The policy of a missing resource cannot be read. */
function targetsOf({ deployment: { project, region }, ask, isEnabled }: Context): Target[] {
  const at = `--location=${region}`;
  const names = (...words: string[]) => ask(gcloud(...words), named).map(({ name }) => lastPart(name));
  const rings = isEnabled('cloudkms') ? names('kms', 'keyrings', 'list', at) : [];
  const rootKeys = rings.includes(ROOT_RING) ? names('kms', 'keys', 'list', `--keyring=${ROOT_RING}`, at) : [];
  const accounts = ask(gcloud('iam', 'service-accounts', 'list'), z.array(z.object({ email: z.string() })));
  const run = isEnabled('run') ? ask(gcloud('run', 'services', 'list', `--region=${region}`), services) : [];
  const repositories = isEnabled('artifactregistry') ? names('artifacts', 'repositories', 'list', at) : [];
  const ours = (name: string) => name.startsWith('encryption-');
  return [
    { group: ['projects'], resource: [project] },
    ...rings
      .filter((ring) => [TENANTS_RING, ROOT_RING].includes(ring))
      .map((ring) => ({ group: ['kms', 'keyrings'], resource: [ring, at] })),
    ...rootKeys
      .filter((key) => [WRAPPED_ROOT, AUDIT_SIGNING].includes(key))
      .map((key) => ({ group: ['kms', 'keys'], resource: [key, `--keyring=${ROOT_RING}`, at] })),
    ...(isEnabled('secretmanager') ? names('secrets', 'list') : [])
      .filter((name) => OUR_SECRETS.includes(name))
      .map((name) => ({ group: ['secrets'], resource: [name] })),
    ...run
      .map(({ metadata }) => metadata.name)
      .filter(ours)
      .map((name) => ({ group: ['run', 'services'], resource: [name, `--region=${region}`] })),
    ...repositories
      .filter((name) => name === IMAGES)
      .map((name) => ({ group: ['artifacts', 'repositories'], resource: [name, at] })),
    ...accounts
      .map(({ email }) => email)
      .filter(ours)
      .map((email) => ({ group: ['iam', 'service-accounts'], resource: [email] })),
  ];
}
