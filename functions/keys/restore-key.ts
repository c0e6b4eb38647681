import { EITHER } from '../../shared/auth/admission.ts';
import { nothing } from '../../shared/http/input.ts';
import { keyAnswer, viewKey } from '../../shared/keys/view.ts';
import { restoreKey } from '../../shared/lifecycle/delete-key.ts';
import { needs } from '../needs.ts';

/** The days on which the key was pending deletion are billed, except days in months that have ended. */
export const restoreKeyRoute = needs('store', 'clock', 'log', 'keyChanges').keyRoute({
  id: 'restore_key',
  operation: 'restore_key',
  method: 'POST',
  path: '/v1/keys/{id}/restore',
  summary: 'Restore a key that is pending deletion',
  description: 'Makes a key that is pending deletion active again. This works until `destroy_after`.',
  tag: 'Keys',
  admits: EITHER,
  takes: nothing,
  refuses: ['not_pending_deletion', 'restore_window_closed'],
  status: 200,
  answer: keyAnswer,
  async handle(services, { origin, key }) {
    return viewKey(await restoreKey(services, origin, key));
  },
});
