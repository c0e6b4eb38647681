import { EITHER } from '../../shared/auth/caller.ts';
import { nothing } from '../../shared/http/input.ts';
import { keyRoute } from '../../shared/http/pipeline.ts';
import { restoreKey } from '../../shared/keys/deletion.ts';
import { keyAnswer, viewKey } from '../../shared/keys/view.ts';

export const restoreKeyRoute = keyRoute({
  id: 'restore_key',
  method: 'POST',
  path: '/v1/keys/{id}/restore',
  summary: 'Undo a deletion',
  admits: EITHER,
  action: 'restore',
  operation: 'restore_key',
  takes: nothing,
  refuses: ['not_pending_deletion', 'restore_window_closed'],
  status: 200,
  answer: keyAnswer,
  async handle({ env, request, caller, key }) {
    return viewKey(await restoreKey(env, { requestId: request.id, caller }, key));
  },
});
