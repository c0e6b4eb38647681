import type { Route } from '../../shared/http/route.ts';
import { createKeyRoute } from './create-key.ts';
import { deleteKeyRoute } from './delete-key.ts';
import { destroyKeyRoute } from './destroy-key.ts';
import { getKeyRoute } from './get-key.ts';
import { listKeysRoute } from './list-keys.ts';
import { renameKeyRoute } from './rename-key.ts';
import { restoreKeyRoute } from './restore-key.ts';
import { rotateKeyRoute } from './rotate-key.ts';

/** The life of a key. Destruction at once is the console's. */
export function keysRoutes(config: { readonly identity: unknown }): readonly Route[] {
  return [
    createKeyRoute,
    listKeysRoute,
    getKeyRoute,
    renameKeyRoute,
    deleteKeyRoute,
    rotateKeyRoute,
    restoreKeyRoute,
    ...(config.identity === undefined ? [] : [destroyKeyRoute]),
  ];
}
