import type { Deployment } from '../deployment.ts';
import { DATABASE } from '../names.ts';
import { type Change, type Check, gcloud } from '../step.ts';

/**
 * How many days backups are kept: as long as point-in-time recovery. They are not kept longer, because restoring a
 * backup can bring back a destroyed data key.
 */
export const BACKUPS_KEPT_DAYS = 7;

const database = `--database=${DATABASE}`;

export function createStore({ project, firestoreLocation }: Deployment): Change[] {
  const retention = `--retention=${BACKUPS_KEPT_DAYS}d`;
  const safeguards = ['--delete-protection', '--enable-pitr'];
  return [
    {
      what: 'Firestore database with point-in-time recovery',
      find: gcloud(
        ...['firestore', 'databases', 'list', `--filter=name="projects/${project}/databases/${DATABASE}"`],
        '--format=value(name)',
      ),
      create: gcloud(
        ...['firestore', 'databases', 'create', database, `--location=${firestoreLocation}`],
        ...['--type=firestore-native', ...safeguards],
      ),
      update: gcloud('firestore', 'databases', 'update', database, ...safeguards),
    },
    {
      what: `daily backups, kept for ${BACKUPS_KEPT_DAYS} days`,
      find: dailyBackups('name.basename()'),
      create: gcloud('firestore', 'backups', 'schedules', 'create', database, '--recurrence=daily', retention),
      update: gcloud('firestore', 'backups', 'schedules', 'update', database, '--backup-schedule=$FOUND', retention),
    },
    {
      what: 'Firestore rules and indexes',
      create: ['npx', 'firebase', 'deploy', '--only=firestore', `--project=${project}`, '--non-interactive'],
    },
  ];
}

/** Returns the checks that the database cannot be deleted by mistake, and that it can be restored. */
export function checkStore(): Check[] {
  const describe = (field: string) =>
    gcloud('firestore', 'databases', 'describe', database, `--format=value(${field})`);
  return [
    {
      what: 'delete protection is on',
      read: describe('deleteProtectionState'),
      expects: 'DELETE_PROTECTION_ENABLED',
    },
    {
      what: 'point-in-time recovery is on',
      read: describe('pointInTimeRecoveryEnablement'),
      expects: 'POINT_IN_TIME_RECOVERY_ENABLED',
    },
    {
      what: `daily backups are kept for ${BACKUPS_KEPT_DAYS} days`,
      read: dailyBackups('retention'),
      expects: `${BACKUPS_KEPT_DAYS * 24 * 60 * 60}s`,
    },
  ];
}

/**
 * Returns a command that reads a field of the schedule for daily backups. Google allows only one daily and one weekly
 * schedule.
 */
function dailyBackups(field: string) {
  return gcloud(
    ...['firestore', 'backups', 'schedules', 'list', database, '--filter=NOT weeklyRecurrence:*'],
    `--format=value(${field})`,
  );
}
