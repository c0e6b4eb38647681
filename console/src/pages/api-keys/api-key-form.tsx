import { useState } from 'preact/hooks';
import type { Action, ApiKey } from '../../../../client/src/index.ts';
import { ContainerField } from '../../parts/container-field.tsx';
import { NameField, SelectField, SeveralField } from '../../parts/fields.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useAnswer } from '../../service/answer.ts';
import { containers, firewalls, keys } from '../../service/answers.ts';
import { API_KEYS, listed } from '../../words.ts';
import { ActionsField } from './actions-field.tsx';

/** What a form says of an API key. */
export interface ApiKeyInput {
  readonly name: string;
  readonly container_id: string | null;
  readonly allowed_actions: Action[];
  readonly key_ids: string[] | null;
  readonly firewall_id: string | null;
}

interface ApiKeyFormProps {
  readonly title: string;
  readonly submit: string;
  /** What is changed; without it, it is for a new one. */
  readonly of?: ApiKey;
  readonly onSubmit: (input: ApiKeyInput) => Promise<void>;
  readonly onClose: () => void;
}

/** Asks for an API key's name and for what it may do, with which keys, from where, and says that in words. */
export function ApiKeyForm({ title, submit, of, onSubmit, onClose }: ApiKeyFormProps) {
  const { value: places = [] } = useAnswer(containers.of());
  const { value: allKeys = [] } = useAnswer(keys.of());
  const { value: walls = [] } = useAnswer(firewalls.of());
  const [container, setContainer] = useState(of?.container_id);
  const [actions, setActions] = useState<readonly Action[]>(of?.allowed_actions ?? []);
  const [keyIds, setKeyIds] = useState<readonly string[]>(of?.key_ids ?? []);
  const [firewall, setFirewall] = useState(of?.firewall_id ?? '');
  const place = container ?? places.find(({ is_default }) => is_default)?.id;
  const inPlace = allKeys.filter(({ container_id }) => container_id === place);
  const chosenKeys = inPlace.filter(({ id }) => keyIds.includes(id));
  const chosenWall = walls.find(({ id, container_id }) => id === firewall && container_id === place);
  const send = (data: FormData): Promise<void> =>
    onSubmit({
      name: String(data.get('name') ?? ''),
      container_id: place ?? null,
      allowed_actions: [...actions],
      key_ids: keyIds.length === 0 ? null : [...keyIds],
      firewall_id: chosenWall?.id ?? null,
    });
  return (
    <FormDialog title={title} form={`api-key-${of?.id ?? ''}`} submit={submit} onSubmit={send} onClose={onClose}>
      <NameField value={of?.name ?? ''} />
      {of === undefined && (
        <ContainerField
          onChange={(id) => {
            setContainer(id);
            setKeyIds([]);
            setFirewall('');
          }}
        />
      )}
      <ActionsField values={actions} onChange={setActions} />
      <SeveralField
        name="keys"
        label={API_KEYS.keys}
        choices={inPlace.map(({ id, name }) => ({ value: id, text: name }))}
        values={keyIds}
        hint={API_KEYS.keysHint}
        onChange={setKeyIds}
      />
      <SelectField
        name="firewall"
        label={API_KEYS.firewall}
        choices={[
          { value: '', text: API_KEYS.noFirewall },
          ...walls
            .filter(({ container_id }) => container_id === place)
            .map(({ id, name }) => ({ value: id, text: name })),
        ]}
        value={firewall}
        onChange={setFirewall}
      />
      <p class="notice neutral" role="status">
        {actions.length === 0
          ? API_KEYS.nothing
          : API_KEYS.sentence(
              actions,
              keyIds.length === 0 ? API_KEYS.everyKey : listed(chosenKeys.map(({ name }) => name)),
              chosenWall === undefined ? API_KEYS.fromAnywhere : API_KEYS.fromNetworks(chosenWall.name),
            )}
      </p>
    </FormDialog>
  );
}
