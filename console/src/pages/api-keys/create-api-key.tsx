import { useState } from 'preact/hooks';
import type { NewApiKey } from '../../../../client/src/index.ts';
import { apiKeysChanged } from '../../service/answers.ts';
import { service } from '../../session/session.ts';
import { API_KEYS, COMMON } from '../../words.ts';
import { ApiKeyForm, type ApiKeyInput } from './api-key-form.tsx';
import { TokenDialog } from './token-dialog.tsx';

/** Creates an API key and shows its token, once. */
export function CreateApiKey({ onClose }: { readonly onClose: () => void }) {
  const [created, setCreated] = useState<NewApiKey>();
  const create = async (input: ApiKeyInput): Promise<void> => {
    setCreated(await service().createApiKey(input));
    apiKeysChanged();
  };
  if (created !== undefined) return <TokenDialog created={created} onClose={onClose} />;
  return <ApiKeyForm title={API_KEYS.createTitle} submit={COMMON.create} onSubmit={create} onClose={onClose} />;
}
