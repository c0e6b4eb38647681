import { z } from 'zod';
import { EITHER } from '../../shared/auth/admission.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { nameField } from '../../shared/http/fields.ts';
import { keyAnswer, viewKey } from '../../shared/keys/view.ts';
import { renameKey } from '../../shared/lifecycle/rename-key.ts';
import { refuseName } from '../../shared/tenancy/name.ts';
import { needs } from '../needs.ts';

/** Answers 200 without an audit row if the key already has the name. */
export const renameKeyRoute = needs('store', 'clock', 'keyChanges').keyRoute({
  id: 'rename_key',
  operation: 'rename_key',
  method: 'PATCH',
  path: '/v1/keys/{id}',
  summary: 'Rename a key',
  description: 'Changes the name of an active key. The name must be unused among the live keys of the container.',
  tag: 'Keys',
  admits: EITHER,
  takes: jsonBody(z.object({ name: nameField.meta({ examples: ['invoices'] }) })),
  refuses: ['invalid_name', 'key_pending_deletion', 'key_exists'],
  status: 200,
  answer: keyAnswer,
  async handle(services, { origin, key, input }) {
    refuseName(input.name);
    return viewKey(await renameKey(services, origin, key, input.name));
  },
});
