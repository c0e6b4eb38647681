import { EncryptionServiceError } from '../errors.ts';
import type { Recovery } from '../http/recovery.ts';
import type { Body } from '../types.ts';

/**
 * Checks that no API key with this name exists. If one exists, throws `answer_lost`, because the token is lost with the
 * response.
 */
export function createdApiKey({ name }: Body<'create_api_key'>): Recovery<'create_api_key'> {
  return {
    codeIfDone: undefined,
    find: async (call, requestId) => {
      const apiKeys = await call('list_api_keys', {});
      if (!apiKeys.some((one) => one.name === name)) return undefined;
      const message =
        'the response was lost, and an API key with this name exists; if this call created it, revoke it, because its token is lost';
      throw new EncryptionServiceError('answer_lost', message, { requestId });
    },
  };
}
