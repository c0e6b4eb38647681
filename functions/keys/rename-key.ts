import { z } from 'zod';
import { EITHER } from '../../shared/auth/admission.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { operationRoute } from '../../shared/http/pipeline.ts';
import { keyAnswer, viewKey } from '../../shared/keys/view.ts';
import type { ChangeNeeds } from '../../shared/lifecycle/needs.ts';
import { renameKey } from '../../shared/lifecycle/rename-key.ts';
import { refuseName } from '../../shared/tenancy/name.ts';

export const renameKeyRoute = operationRoute({
  id: 'rename_key',
  operation: 'rename_key',
  method: 'PATCH',
  path: '/v1/keys/{id}',
  summary: 'Rename a key; id, versions and ciphertext stay',
  admits: EITHER,
  takes: jsonBody(z.object({ name: z.string() })),
  refuses: ['invalid_name', 'key_pending_deletion', 'key_exists'],
  status: 200,
  answer: keyAnswer,
  async handle(needs: ChangeNeeds, { origin, key, input }) {
    refuseName(input.name);
    return viewKey(await renameKey(needs, origin, key, input.name));
  },
});
