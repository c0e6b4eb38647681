import { useState } from 'preact/hooks';
import type { ApiKey } from '../../../../client/src/index.ts';
import { Name } from '../../parts/name.tsx';
import { apiKeysChanged, keys } from '../../service/answers.ts';
import { refuseOverwriting } from '../../service/changed-meanwhile.ts';
import { service } from '../../session/session.ts';
import { API_KEYS, COMMON } from '../../words.ts';
import { ApiKeyForm } from './api-key-form.tsx';
import { type ApiKeyInput, changeOf } from './input.ts';

interface EditApiKeyProps {
  readonly of: ApiKey;
  readonly onClose: () => void;
}

/** A form that edits an API key. It sends only the fields that the person changed. */
export function EditApiKey({ of, onClose }: EditApiKeyProps) {
  // Somebody else may change the API key while the form is open, so the form keeps the state from its opening.
  const [before] = useState(of);
  const save = async (input: ApiKeyInput): Promise<void> => {
    const change = changeOf(before, input, keys.of().value ?? []);
    refuseOverwriting(change, before, await service().getApiKey(before.id));
    await service().updateApiKey(before.id, change);
    apiKeysChanged();
    onClose();
  };
  return (
    <ApiKeyForm
      title={API_KEYS.editTitle(<Name text={before.name} />)}
      submit={COMMON.save}
      of={before}
      onSubmit={save}
      onClose={onClose}
    />
  );
}
