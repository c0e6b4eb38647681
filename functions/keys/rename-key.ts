import { z } from 'zod';
import { EITHER } from '../../shared/auth/caller.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { keyRoute } from '../../shared/http/pipeline.ts';
import { renameKey } from '../../shared/keys/rename.ts';
import { keyAnswer, viewKey } from '../../shared/keys/view.ts';
import { refuseName } from '../../shared/tenancy/name.ts';

export const renameKeyRoute = keyRoute({
  id: 'rename_key',
  method: 'PATCH',
  path: '/v1/keys/{id}',
  summary: 'Rename a key; id, versions and ciphertext stay',
  admits: EITHER,
  action: 'rename',
  operation: 'rename_key',
  takes: jsonBody(z.object({ name: z.string() })),
  refuses: ['invalid_name', 'key_pending_deletion', 'key_exists'],
  status: 200,
  answer: keyAnswer,
  async handle({ env, request, caller, key, input }) {
    refuseName(input.name);
    return viewKey(await renameKey(env, { requestId: request.id, caller }, key, input.name));
  },
});
