import { apiKeysChanged } from '../../service/answers.ts';
import { service } from '../../session/session.ts';
import { showOnce } from '../../session/shown-once.ts';
import { API_KEYS, COMMON } from '../../words.ts';
import { ApiKeyForm } from './api-key-form.tsx';
import type { ApiKeyInput } from './input.ts';
import { TokenDialog } from './token-dialog.tsx';

function putAway(): void {
  showOnce(undefined);
  // If the session has expired in the meantime, this request makes the console renew it.
  apiKeysChanged();
}

/** A form that creates an API key. Afterwards the console shows the token above the current page. */
export function CreateApiKey({ onClose }: { readonly onClose: () => void }) {
  const create = async (input: ApiKeyInput, makesToken: boolean): Promise<void> => {
    const { federations, expires_at, ...always } = input;
    // What is left out is not shown among the changes of the audit event.
    const given = { ...(federations.length > 0 && { federations }), ...(expires_at !== null && { expires_at }) };
    const created = await service().createApiKey({ ...always, ...given, ...(!makesToken && { without_token: true }) });
    const { name, token } = created;
    if (token !== null) showOnce(<TokenDialog name={name} token={token} onClose={putAway} />);
    apiKeysChanged();
    onClose();
  };
  return <ApiKeyForm title={API_KEYS.createTitle} submit={COMMON.create} onSubmit={create} onClose={onClose} />;
}
