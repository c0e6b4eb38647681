import { apiKeysChanged } from '../../service/answers.ts';
import { showNewApiKey } from '../../session/new-api-key.ts';
import { service } from '../../session/session.ts';
import { API_KEYS, COMMON } from '../../words.ts';
import { ApiKeyForm } from './api-key-form.tsx';
import type { ApiKeyInput } from './input.ts';

/** A form that creates an API key. Afterwards the console shows the token above the current page. */
export function CreateApiKey({ onClose }: { readonly onClose: () => void }) {
  const create = async (input: ApiKeyInput, makesToken: boolean): Promise<void> => {
    const { federations, expires_at, ...always } = input;
    // What is left out is not shown among the changes of the audit event.
    const given = { ...(federations.length > 0 && { federations }), ...(expires_at !== null && { expires_at }) };
    const created = await service().createApiKey({ ...always, ...given, ...(!makesToken && { without_token: true }) });
    if (created.token !== null) showNewApiKey(created);
    apiKeysChanged();
    onClose();
  };
  return <ApiKeyForm title={API_KEYS.createTitle} submit={COMMON.create} onSubmit={create} onClose={onClose} />;
}
