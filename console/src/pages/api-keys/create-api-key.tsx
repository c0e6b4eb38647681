import { apiKeysChanged } from '../../service/answers.ts';
import { showNewApiKey } from '../../session/new-api-key.ts';
import { service } from '../../session/session.ts';
import { API_KEYS, COMMON } from '../../words.ts';
import { ApiKeyForm } from './api-key-form.tsx';
import type { ApiKeyInput } from './input.ts';

/** A form that creates an API key. Afterwards the console shows the token above the current page. */
export function CreateApiKey({ onClose }: { readonly onClose: () => void }) {
  const create = async (input: ApiKeyInput, makesToken: boolean): Promise<void> => {
    const created = await service().createApiKey({ ...input, without_token: !makesToken });
    if (created.token !== null) showNewApiKey(created);
    apiKeysChanged();
    onClose();
  };
  return <ApiKeyForm title={API_KEYS.createTitle} submit={COMMON.create} onSubmit={create} onClose={onClose} />;
}
