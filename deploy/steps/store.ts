import type { Deployment } from '../deployment.ts';
import { DATABASE } from '../names.ts';
import { gcloud, type Step } from '../step.ts';

/** The Firestore database, its daily backups, its rules and its indexes. */
export function createStore({ project, firestoreLocation }: Deployment): Step[] {
  const database = `--database=${DATABASE}`;
  const safeguards = ['--delete-protection', '--enable-pitr'];
  return [
    {
      what: 'Firestore database with point-in-time recovery',
      find: gcloud('firestore', 'databases', 'describe', database, '--format=value(name)'),
      create: gcloud(
        ...['firestore', 'databases', 'create', database, `--location=${firestoreLocation}`],
        ...['--type=firestore-native', ...safeguards],
      ),
      update: gcloud('firestore', 'databases', 'update', database, ...safeguards),
    },
    {
      // No longer than point-in-time recovery: while a copy lives, a data key that was deleted can be had back.
      what: 'daily backups, kept for seven days',
      find: gcloud('firestore', 'backups', 'schedules', 'list', database, '--format=value(name)'),
      create: gcloud('firestore', 'backups', 'schedules', 'create', database, '--recurrence=daily', '--retention=7d'),
    },
    {
      what: 'Firestore rules and indexes',
      create: ['npx', 'firebase', 'deploy', '--only=firestore', `--project=${project}`, '--non-interactive'],
    },
  ];
}
