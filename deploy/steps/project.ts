import type { Deployment } from '../deployment.ts';
import { ACTORS, accountEmail, accountId } from '../names.ts';
import { gcloud, type Step } from '../step.ts';

export const APIS = [
  'apigateway',
  'artifactregistry',
  'billingbudgets',
  'cloudbuild',
  'cloudkms',
  'cloudscheduler',
  'compute',
  'firebase',
  'firebasehosting',
  'firebaserules',
  'firestore',
  'iam',
  'logging',
  'monitoring',
  'run',
  'secretmanager',
  'servicecontrol',
  'servicemanagement',
] as const;

export function enableApis(): Step[] {
  const names = APIS.map((api) => `${api}.googleapis.com`);
  return [{ what: 'APIs', create: gcloud('services', 'enable', ...names) }];
}

/** Returns the step that turns on the logs that [lost parts](../../docs/lost-parts.md) are examined with. */
export function logDataAccess({ project }: Deployment): Step[] {
  return [{ what: 'Data Access logs', create: ['node', 'deploy/audit-logs.ts', `--project=${project}`] }];
}

export function createAccounts(deployment: Deployment): Step[] {
  return ACTORS.map((actor) => ({
    what: `service account of ${actor}`,
    find: gcloud(
      ...['iam', 'service-accounts', 'list', `--filter=email="${accountEmail(deployment, actor)}"`],
      '--format=value(email)',
    ),
    create: gcloud(
      'iam',
      'service-accounts',
      'create',
      accountId(actor),
      `--display-name=Encryption service: ${actor}`,
    ),
  }));
}
