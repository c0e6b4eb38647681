import { z } from 'zod';
import { CUSTOM_ROLES } from '../../access.ts';
import { exemptedFrom, LOGGED, LOGGED_SERVICES, loggedIn, projectPolicy } from '../../data-access.ts';
import { ACTORS, accountEmail } from '../../names.ts';
import { gcloud } from '../../step.ts';
import { APIS } from '../../steps/project.ts';
import { type Comparison, type Context, lastPart, resource } from '../resource.ts';

export function compareApis({ isEnabled }: Context): Comparison {
  return {
    expected: APIS.map((api) => resource(`API ${api}`)),
    found: APIS.filter(isEnabled).map((api) => resource(`API ${api}`)),
  };
}

/** The Data Access logs that must be on. */
export function compareDataAccess({ deployment: { project }, ask }: Context): Comparison {
  const policy = ask(gcloud('projects', 'get-iam-policy', project), projectPolicy);
  const wanted = LOGGED_SERVICES.flatMap((service) => LOGGED[service].map((type) => `${service} ${type}`));
  return {
    expected: wanted.map((one) => resource(`Data Access log ${one}`, { exempted: '' })),
    found: loggedIn(policy).map((one) => resource(`Data Access log ${one}`, { exempted: exemptedFrom(policy, one) })),
  };
}

const accounts = z.array(
  z.object({ email: z.string(), displayName: z.string().optional(), disabled: z.boolean().optional() }),
);
const keys = z.array(z.object({ name: z.string() }));

/** Our accounts, and their keys: nobody needs a key file, so every key that a person created is a difference. */
export function compareAccounts({ deployment, ask }: Context): Comparison {
  const actorOf = new Map<string, string>(ACTORS.map((actor) => [accountEmail(deployment, actor), actor]));
  const found = ask(gcloud('iam', 'service-accounts', 'list'), accounts).filter(
    ({ email }) => actorOf.has(email) || email.startsWith('encryption-'),
  );
  const keysOf = (email: string) =>
    ask(gcloud('iam', 'service-accounts', 'keys', 'list', `--iam-account=${email}`, '--managed-by=user'), keys);
  return {
    expected: ACTORS.map((actor) =>
      resource(`service account of ${actor}`, {
        displayName: `Encryption service: ${actor}`,
        disabled: false,
        keys: '',
      }),
    ),
    found: found.map(({ email, displayName, disabled }) =>
      resource(`service account of ${actorOf.get(email) ?? email}`, {
        displayName,
        disabled,
        keys: keysOf(email)
          .map(({ name }) => lastPart(name))
          .join(' '),
      }),
    ),
  };
}

const roles = z.array(z.object({ name: z.string() }));
const role = z.object({ includedPermissions: z.array(z.string()).default([]), stage: z.string().optional() });

export function compareRoles({ deployment: { project }, ask }: Context): Comparison {
  const own = `--project=${project}`;
  const found = ask(gcloud('iam', 'roles', 'list', own), roles).map(({ name }) => lastPart(name));
  return {
    expected: Object.entries(CUSTOM_ROLES).map(([name, permissions]) =>
      resource(`role ${name}`, { permissions: permissions.toSorted().join(' '), stage: 'GA' }),
    ),
    found: found
      .filter((name) => name in CUSTOM_ROLES || name.startsWith('encryption'))
      .map((name) => {
        const { includedPermissions, stage } = ask(gcloud('iam', 'roles', 'describe', name, own), role);
        return resource(`role ${name}`, { permissions: includedPermissions.toSorted().join(' '), stage });
      }),
  };
}
