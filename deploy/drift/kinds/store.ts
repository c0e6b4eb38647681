import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { DATABASE } from '../../names.ts';
import { gcloud } from '../../step.ts';
import { BACKUPS_KEPT_DAYS } from '../../steps/store.ts';
import { type Comparison, type Context, lastPart, resource } from '../resource.ts';

const fields = z.array(
  z.object({ fieldPath: z.string(), order: z.string().optional(), arrayConfig: z.string().optional() }),
);
const indexFile = z.object({
  indexes: z.array(z.object({ collectionGroup: z.string(), queryScope: z.string(), fields })),
  fieldOverrides: z.array(
    z.object({ collectionGroup: z.string(), fieldPath: z.string(), indexes: z.array(z.unknown()) }),
  ),
});
const declared = indexFile.parse(
  JSON.parse(readFileSync(join(import.meta.dirname, '../../../firestore.indexes.json'), 'utf8')),
);

const databases = z.array(
  z.object({
    name: z.string(),
    locationId: z.string(),
    type: z.string(),
    deleteProtectionState: z.string().optional(),
    pointInTimeRecoveryEnablement: z.string().optional(),
  }),
);
const backups = z.array(
  z.object({
    retention: z.string(),
    dailyRecurrence: z.unknown().optional(),
    weeklyRecurrence: z.unknown().optional(),
  }),
);
const indexes = z.array(z.object({ name: z.string(), queryScope: z.string(), state: z.string().optional(), fields }));
const overrides = z.array(
  z.object({
    name: z.string(),
    indexConfig: z.object({ indexes: z.array(z.unknown()).default([]), usesAncestorConfig: z.boolean().optional() }),
  }),
);

const database = `--database=${DATABASE}`;
const STORE = 'Firestore database with point-in-time recovery';
const DAILY = `daily backups, kept for ${BACKUPS_KEPT_DAYS} days`;

/** The database, its backups, its indexes, and the fields that have no index. */
export function compareStore({ deployment, ask, isEnabled }: Context): Comparison {
  const found = (isEnabled('firestore') ? ask(gcloud('firestore', 'databases', 'list'), databases) : []).filter(
    ({ name }) => lastPart(name) === DATABASE,
  );
  const there = found.length > 0;
  const schedules = there ? ask(gcloud('firestore', 'backups', 'schedules', 'list', database), backups) : [];
  const composite = there ? ask(gcloud('firestore', 'indexes', 'composite', 'list', database), indexes) : [];
  const single = there ? ask(gcloud('firestore', 'indexes', 'fields', 'list', database), overrides) : [];
  return {
    expected: [
      resource(STORE, {
        locationId: deployment.firestoreLocation,
        type: 'FIRESTORE_NATIVE',
        deleteProtectionState: 'DELETE_PROTECTION_ENABLED',
        pointInTimeRecoveryEnablement: 'POINT_IN_TIME_RECOVERY_ENABLED',
      }),
      resource(DAILY, { retention: `${BACKUPS_KEPT_DAYS * 24 * 60 * 60}s` }),
      ...declared.indexes.map((one) =>
        resource(nameOf(one.collectionGroup, one.queryScope, one.fields), { state: 'READY' }),
      ),
      ...declared.fieldOverrides.map((one) =>
        resource(`field ${one.collectionGroup}.${one.fieldPath}`, { indexes: one.indexes.length }),
      ),
    ],
    found: [
      ...found.map(({ name: _, ...settings }) => resource(STORE, settings)),
      ...schedules.map(({ retention, weeklyRecurrence }) =>
        resource(weeklyRecurrence === undefined ? DAILY : 'weekly backups', { retention }),
      ),
      ...composite.map((one) =>
        resource(nameOf(collectionOf(one.name), one.queryScope, one.fields), { state: one.state }),
      ),
      ...single
        .filter(({ name, indexConfig }) => !indexConfig.usesAncestorConfig && collectionOf(name) !== '__default__')
        .map(({ name, indexConfig }) =>
          resource(`field ${collectionOf(name)}.${lastPart(name)}`, { indexes: indexConfig.indexes.length }),
        ),
    ],
  };
}

function nameOf(collection: string, scope: string, parts: z.output<typeof fields>): string {
  // Google adds the document's name as the last field of each index.
  const shown = parts.filter(({ fieldPath }) => fieldPath !== '__name__');
  const names = shown.map(({ fieldPath, order, arrayConfig }) => `${fieldPath} ${order ?? arrayConfig}`);
  return `index of ${collection} (${[...names, ...(scope === 'COLLECTION' ? [] : [scope])].join(', ')})`;
}

function collectionOf(name: string): string {
  return /\/collectionGroups\/([^/]+)\//.exec(name)?.[1] ?? '';
}
