import { CONSOLE } from '../../shared/auth/admission.ts';
import { nothing } from '../../shared/http/input.ts';
import { destroyNow } from '../../shared/lifecycle/destroy-key.ts';
import { needs, TO_CHANGE_KEYS } from '../needs.ts';

/** Answers 204. If the KMS fails, the scheduled function `destroy-due-keys` destroys the key later. */
export const destroyKeyRoute = needs(...TO_CHANGE_KEYS).keyRoute({
  id: 'destroy_key',
  operation: 'destroy_key',
  method: 'POST',
  path: '/v1/keys/{id}/destroy',
  summary: 'Destroy a key immediately (cannot be undone)',
  description:
    'Destroys a key now, without the seven-day wait of a deletion. Everything encrypted with it becomes unreadable.',
  tag: 'Keys',
  admits: CONSOLE,
  takes: nothing,
  onlyTakesAway: true,
  status: 204,
  handle: (services, { origin, key }) => destroyNow(services, origin, key),
});
