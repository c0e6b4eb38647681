import { CONSOLE } from '../../shared/auth/admission.ts';
import { nothing } from '../../shared/http/input.ts';
import { keyAnswer, viewKey } from '../../shared/keys/view.ts';
import { freezeKey } from '../../shared/lifecycle/freeze-key.ts';
import { needs } from '../needs.ts';

/** Repeating the request changes nothing: `frozen_at` stays, and there is no second audit row. */
export const freezeKeyRoute = needs('store', 'clock', 'log').keyRoute({
  id: 'freeze_key',
  operation: 'freeze_key',
  method: 'POST',
  path: '/v1/keys/{id}/freeze',
  summary: 'Freeze a key',
  description:
    'Stops every use of a key at once, for example when an API key has leaked. Until the key is thawed, it can be neither used nor rotated. It loses no data, and its billing continues.',
  tag: 'Keys',
  admits: CONSOLE,
  takes: nothing,
  onlyTakesAway: true,
  refuses: ['key_pending_deletion'],
  status: 200,
  answer: keyAnswer,
  async handle(services, { origin, key }) {
    return viewKey(await freezeKey(services, origin, key));
  },
});
