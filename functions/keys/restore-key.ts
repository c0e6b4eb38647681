import { EITHER } from '../../shared/auth/admission.ts';
import { nothing } from '../../shared/http/input.ts';
import { operationRoute } from '../../shared/http/pipeline.ts';
import { keyAnswer, viewKey } from '../../shared/keys/view.ts';
import { restoreKey } from '../../shared/lifecycle/delete-key.ts';
import type { ChangeNeeds } from '../../shared/lifecycle/needs.ts';

export const restoreKeyRoute = operationRoute({
  id: 'restore_key',
  operation: 'restore_key',
  method: 'POST',
  path: '/v1/keys/{id}/restore',
  summary: 'Undo a deletion',
  admits: EITHER,
  takes: nothing,
  refuses: ['not_pending_deletion', 'restore_window_closed'],
  status: 200,
  answer: keyAnswer,
  async handle(needs: ChangeNeeds, { origin, key }) {
    return viewKey(await restoreKey(needs, origin, key));
  },
});
