import { CONSOLE } from '../../shared/auth/admission.ts';
import { nothing } from '../../shared/http/input.ts';
import { keyAnswer, viewKey } from '../../shared/keys/view.ts';
import { thawKey } from '../../shared/lifecycle/freeze-key.ts';
import { needs } from '../needs.ts';

export const thawKeyRoute = needs('store', 'clock', 'log').keyRoute({
  id: 'thaw_key',
  operation: 'thaw_key',
  method: 'POST',
  path: '/v1/keys/{id}/thaw',
  summary: 'Thaw a frozen key',
  description: 'Makes a frozen key usable again. If the key is not frozen, nothing changes.',
  tag: 'Keys',
  admits: CONSOLE,
  takes: nothing,
  refuses: ['key_pending_deletion'],
  status: 200,
  answer: keyAnswer,
  async handle(services, { origin, key }) {
    return viewKey(await thawKey(services, origin, key));
  },
});
