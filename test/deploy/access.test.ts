import { describe, expect, test } from 'vitest';
import { CUSTOM_ROLES, GRANTS } from '../../deploy/access.ts';
import { environmentOf, secretsOf } from '../../deploy/environment.ts';
import { FUNCTION_NAMES, functionsOf } from '../../deploy/functions.ts';
import { type Actor, accountEmail } from '../../deploy/names.ts';
import { planDeployment } from '../../deploy/plan.ts';
import { EXAMPLE } from './example.ts';

const bindings = planDeployment(EXAMPLE)
  .flatMap((step) => ('create' in step ? [step.create] : []))
  .filter((words) => words.includes('add-iam-policy-binding'));

/** Returns the accounts to which the commands grant a matching role on a matching resource. */
function holders(role: RegExp, on: RegExp): string[] {
  const found = bindings.filter((words) => on.test(words.join(' ')) && words.some((word) => role.test(word)));
  const members = found.flatMap((words) => words.filter((word) => word.startsWith('--member=')));
  return [...new Set(members.map((word) => word.replace('--member=serviceAccount:', '')))].sort();
}

function accounts(...actors: Actor[]): string[] {
  return actors.map((actor) => accountEmail(EXAMPLE, actor)).sort();
}

describe('permissions', () => {
  test.for([
    ['decrypt with tenants’ CryptoKeys', /Decrypter$/, /encryption-tenants/, ['crypto', 'transit']],
    ['unwrap data keys', /Decrypter$/, /wrapped-root/, ['crypto', 'transit']],
    ['wrap data keys', /Encrypter$/, /wrapped-root/, ['keys', 'transit']],
    ['create CryptoKeys', /encryptionKeyMaker$/, /encryption-tenants/, ['keys', 'transit']],
    ['destroy versions', /encryptionKeyDestroyer$/, /./, ['destroy-due-keys', 'keys', 'transit']],
    ['sign audit logs', /signer/i, /./, ['seal-audit']],
    ['read the public key of audit logs', /publicKeyViewer$/, /audit-signing/, ['reports', 'seal-audit']],
    ['read the secret key of Stripe', /./, /stripe-secret-key/, ['billing', 'close-month']],
    ['read the secret of webhooks', /./, /stripe-webhook-secret/, ['billing']],
    [
      'call the functions that serve tenants',
      /run\.invoker$/,
      /encryption-(keys|crypto|reports|console|billing|transit|health|router) /,
      ['gateway'],
    ],
    [
      'call the scheduled functions',
      /run\.invoker$/,
      /encryption-(destroy-due-keys|close-month|seal-audit) /,
      ['scheduler'],
    ],
  ] as const)('only the intended accounts may %s', ([, role, on, actors]) => {
    expect(holders(role, on)).toEqual(accounts(...actors));
  });

  test('no account is owner, editor, viewer or an admin, and no resource is public', () => {
    expect(holders(/roles\/(owner|editor|viewer|.*admin)$/i, /./)).toEqual([]);
    expect(bindings.flat().join(' ')).not.toMatch(/allUsers|allAuthenticatedUsers/);
  });

  test('the deployment grants roles on the whole project only for Firestore and for builds', () => {
    const inProject = GRANTS.filter(({ on }) => on === 'project').map(({ role }) => role);
    expect(inProject.sort()).toEqual(['roles/datastore.user', 'roles/datastore.viewer', 'roles/run.builder']);
  });

  test('no custom role permits the use of a CryptoKey or the granting of access', () => {
    expect(Object.values(CUSTOM_ROLES).flat().join()).not.toMatch(/useTo|setIamPolicy|\*/);
  });

  test('the settings of each function name the only account that may call the function: the gateway’s or the scheduler’s', () => {
    for (const name of FUNCTION_NAMES) {
      const caller = functionsOf('gateway').includes(name) ? 'gateway' : 'scheduler';
      expect(environmentOf(EXAMPLE, name).INVOKER_SERVICE_ACCOUNT).toBe(accountEmail(EXAMPLE, caller));
    }
  });

  test('a function gets only the secrets that it may read, and no secret as an ordinary environment variable', () => {
    const given = FUNCTION_NAMES.flatMap((name) => secretsOf(EXAMPLE, name).map((secret) => `${name} ${secret}`));
    expect(given).toEqual([
      'billing STRIPE_SECRET_KEY',
      'billing STRIPE_WEBHOOK_SECRET',
      'close-month STRIPE_SECRET_KEY',
    ]);
    for (const name of FUNCTION_NAMES)
      expect(Object.keys(environmentOf(EXAMPLE, name))).not.toContain('STRIPE_SECRET_KEY');
  });
});
