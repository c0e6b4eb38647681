import type { Group } from '../../shared/http/group.ts';
import { createKeyRoute } from './create-key.ts';
import { deleteKeyRoute } from './delete-key.ts';
import { destroyKeyRoute } from './destroy-key.ts';
import { freezeKeyRoute } from './freeze-key.ts';
import { getKeyRoute } from './get-key.ts';
import { listKeysRoute } from './list-keys.ts';
import { previewRotationRoute } from './preview-rotation.ts';
import { renameKeyRoute } from './rename-key.ts';
import { restoreKeyRoute } from './restore-key.ts';
import { rotateKeyRoute } from './rotate-key.ts';
import { thawKeyRoute } from './thaw-key.ts';

/** The routes that create, change, list and destroy keys. */
export const keys = {
  name: 'keys',
  routes: [
    createKeyRoute,
    listKeysRoute,
    getKeyRoute,
    renameKeyRoute,
    deleteKeyRoute,
    rotateKeyRoute,
    previewRotationRoute,
    restoreKeyRoute,
    freezeKeyRoute,
    thawKeyRoute,
    destroyKeyRoute,
  ],
} satisfies Group<never>;
