import { EITHER } from '../../shared/auth/admission.ts';
import { nothing } from '../../shared/http/input.ts';
import { keyAnswer, viewKey } from '../../shared/keys/view.ts';
import { rotateKey } from '../../shared/lifecycle/rotate-key.ts';
import { needs, TO_CHANGE_KEYS } from '../needs.ts';

/** Not idempotent: each request creates a version and may retire another. */
export const rotateKeyRoute = needs(...TO_CHANGE_KEYS).keyRoute({
  id: 'rotate_key',
  operation: 'rotate_key',
  method: 'POST',
  path: '/v1/keys/{id}/rotate',
  summary: 'Rotate a key; versions that are no longer retained can no longer decrypt',
  description:
    'Adds a version, which encrypts from now on. Tiers retain different numbers of older versions: `free` and `wrapped` keys retain none, so their older ciphertext becomes unreadable.',
  tag: 'Keys',
  admits: EITHER,
  takes: nothing,
  refuses: ['key_pending_deletion', 'key_frozen'],
  status: 200,
  answer: keyAnswer,
  async handle(services, { origin, key }) {
    return viewKey(await rotateKey(services, origin, key));
  },
});
