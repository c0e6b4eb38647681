import type { ReportNeeds } from '../../shared/http/report-turns.ts';
import type { Route } from '../../shared/http/route.ts';
import { type CreateKeyNeeds, createKeyRoute } from './create-key.ts';
import { deleteKeyRoute } from './delete-key.ts';
import { destroyKeyRoute } from './destroy-key.ts';
import { getKeyRoute } from './get-key.ts';
import { listKeysRoute } from './list-keys.ts';
import { renameKeyRoute } from './rename-key.ts';
import { restoreKeyRoute } from './restore-key.ts';
import { rotateKeyRoute } from './rotate-key.ts';

/** The life of a key. */
export const keysRoutes: readonly Route<CreateKeyNeeds & ReportNeeds>[] = [
  createKeyRoute,
  listKeysRoute,
  getKeyRoute,
  renameKeyRoute,
  deleteKeyRoute,
  rotateKeyRoute,
  restoreKeyRoute,
  destroyKeyRoute,
];
