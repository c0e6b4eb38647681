import { EITHER } from '../../shared/auth/admission.ts';
import { nothing } from '../../shared/http/input.ts';
import { operationRoute } from '../../shared/http/pipeline.ts';
import { keyAnswer, viewKey } from '../../shared/keys/view.ts';
import type { RotationNeeds } from '../../shared/lifecycle/rotate-key.ts';
import { rotateKey } from '../../shared/lifecycle/rotate-key.ts';

export const rotateKeyRoute = operationRoute({
  id: 'rotate_key',
  operation: 'rotate_key',
  method: 'POST',
  path: '/v1/keys/{id}/rotate',
  summary: 'Make a new primary version; versions beyond the retained ones stop opening ciphertext at once',
  admits: EITHER,
  takes: nothing,
  refuses: ['key_pending_deletion'],
  status: 200,
  answer: keyAnswer,
  async handle(needs: RotationNeeds, { origin, key }) {
    return viewKey(await rotateKey(needs, origin, key));
  },
});
