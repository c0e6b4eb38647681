import { EITHER } from '../../shared/auth/caller.ts';
import { nothing } from '../../shared/http/input.ts';
import { keyRoute } from '../../shared/http/pipeline.ts';
import { rotateKey } from '../../shared/keys/rotate.ts';
import { keyAnswer, viewKey } from '../../shared/keys/view.ts';

export const rotateKeyRoute = keyRoute({
  id: 'rotate_key',
  method: 'POST',
  path: '/v1/keys/{id}/rotate',
  summary: 'Make a new primary version; versions beyond the retained ones stop opening ciphertext at once',
  admits: EITHER,
  action: 'rotate',
  operation: 'rotate_key',
  takes: nothing,
  refuses: ['key_pending_deletion'],
  status: 200,
  answer: keyAnswer,
  async handle({ env, request, caller, key }) {
    return viewKey(await rotateKey(env, { requestId: request.id, caller }, key));
  },
});
