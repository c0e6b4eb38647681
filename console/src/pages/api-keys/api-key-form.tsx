import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Action, ApiKey } from '../../../../client/src/index.ts';
import { useAddress } from '../../address/address.ts';
import { ContainerField } from '../../parts/container-field.tsx';
import { useFirst } from '../../parts/draft.ts';
import { localTime } from '../../parts/expiry.ts';
import { Labelled, NameField, SelectField, SeveralField, textOf, withChosen } from '../../parts/fields.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { shortened } from '../../parts/id.tsx';
import { useAnswer } from '../../service/answer.ts';
import { containers, firewalls, keys, workloadIssuers } from '../../service/answers.ts';
import { isSame } from '../../service/lists.ts';
import { ACTIONS, API_KEYS, listed } from '../../words.ts';
import { ActionsField } from './actions-field.tsx';
import { FederationsField } from './federations-field.tsx';
import { type ApiKeyInput, readFederations } from './input.ts';

interface ApiKeyFormProps {
  readonly title: ComponentChildren;
  readonly submit: string;
  /** The API key to edit. Without it, the form creates one. */
  readonly of?: ApiKey;
  /** `makesToken` is `false` if the person wants no token. */
  readonly onSubmit: (input: ApiKeyInput, makesToken: boolean) => Promise<void>;
  readonly onClose: () => void;
}

/** A form for the name, the actions, the keys and the firewall of an API key. It sums up the choices in a sentence. */
export function ApiKeyForm({ title, submit, of, onSubmit, onClose }: ApiKeyFormProps) {
  return (
    <FormDialog
      title={title}
      form={`api-key-${stateOf(of)}`}
      submit={submit}
      lists={[containers.of(), keys.of(), firewalls.of(), workloadIssuers.of()]}
      onSubmit={(data) => onSubmit(readInput(data), makesToken(data))}
      onClose={onClose}
    >
      <ApiKeyFields of={of} />
    </FormDialog>
  );
}

/** Without workload issuers, the form does not ask, because an API key without a token would be useless. */
function makesToken(data: FormData): boolean {
  return data.get('token') !== null || workloadIssuers.of().value?.length === 0;
}

const ALL_ACTIONS: readonly Action[] = [...ACTIONS.use.names, ...ACTIONS.manage.names];

function readInput(data: FormData): ApiKeyInput {
  const keyIds = data.getAll('keys').map(String);
  return {
    name: textOf(data, 'name'),
    container_id: textOf(data, 'container') || null,
    allowed_actions: ALL_ACTIONS.filter((action) => data.getAll('actions').includes(action)),
    key_ids: keyIds.length === 0 ? null : keyIds,
    firewall_id: textOf(data, 'firewall') || null,
    expires_at: textOf(data, 'expires') === '' ? null : new Date(textOf(data, 'expires')),
    federations: readFederations(textOf(data, 'federations')),
  };
}

/**
 * Returns a name for the form's draft. The name contains the API key's state, so a draft is never applied to an API key
 * that somebody else has changed since.
 */
function stateOf(of: ApiKey | undefined): string {
  if (of === undefined) return '';
  const { id, name, allowed_actions, key_ids, firewall_id, expires_at, federations } = of;
  return JSON.stringify([id, name, allowed_actions, key_ids, firewall_id, expires_at, federations]);
}

function ApiKeyFields({ of }: { readonly of: ApiKey | undefined }) {
  const { value: places = [] } = useAnswer(containers.of());
  const { value: allKeys = [] } = useAnswer(keys.of());
  const { value: walls = [] } = useAnswer(firewalls.of());
  const byDefault = places.find(({ is_default }) => is_default)?.id;
  // A link to the dialog can select actions.
  const inAddress = useAddress().query.get('actions')?.split(',') ?? [];
  const requested = ALL_ACTIONS.filter((action) => inAddress.includes(action));
  const [firstPlace = of?.container_id ?? byDefault] = useFirst('container', []);
  const [firstWall = ''] = useFirst('firewall', [of?.firewall_id ?? '']);
  const [firstExpiry = ''] = useFirst('expires', [localTime(of?.expires_at ?? null)]);
  const [firstToken = ''] = useFirst('token', ['on']);
  const { value: issuers = [] } = useAnswer(workloadIssuers.of());
  const [place, setPlace] = useState(firstPlace);
  const [actions, setActions] = useState(useFirst('actions', of?.allowed_actions ?? requested));
  const [keyIds, setKeyIds] = useState(useFirst('keys', of?.key_ids ?? []));
  const [firewall, setFirewall] = useState(firstWall);

  const before = of?.key_ids ?? [];
  const inPlace = allKeys.filter(({ container_id }) => container_id === place);
  const names = inPlace.filter(({ id }) => keyIds.includes(id)).map(({ name }) => name);
  const destroyed = keyIds.length - names.length;
  const dropsDestroyed = of !== undefined && destroyed > 0 && names.length > 0 && !isSame(keyIds, before);
  const keyNames = destroyed > 0 && !dropsDestroyed ? [...names, API_KEYS.destroyedKeys(destroyed)] : names;
  return (
    <>
      <NameField value={of?.name ?? ''} />
      {of === undefined && (
        <ContainerField
          onChange={(id) => {
            setPlace(id);
            setKeyIds([]);
            setFirewall('');
          }}
        />
      )}
      <ActionsField values={actions} onChange={setActions} />
      <SeveralField
        name="keys"
        label={API_KEYS.keys}
        choices={withChosen(
          inPlace.map(({ id, name }) => ({ value: id, text: name })),
          [...new Set([...before, ...keyIds])],
          (id) => `${API_KEYS.destroyedKey} ${shortened(id)}`,
        )}
        values={keyIds}
        hint={API_KEYS.keysHint}
        search={API_KEYS.searchKeys}
        selected={API_KEYS.keysSelected}
        onChange={setKeyIds}
      />
      {dropsDestroyed && (
        <p class="notice" role="status">
          {API_KEYS.dropsDestroyed(destroyed)}
        </p>
      )}
      <SelectField
        name="firewall"
        label={API_KEYS.firewall}
        choices={withChosen(
          [
            { value: '', text: API_KEYS.noFirewall },
            ...walls
              .filter(({ container_id }) => container_id === place)
              .map(({ id, name }) => ({ value: id, text: name })),
          ],
          [firewall],
        )}
        value={firewall}
        onChange={setFirewall}
      />
      <Labelled label={API_KEYS.expiry} hint={API_KEYS.expiryHint}>
        {(given) => <input {...given} type="datetime-local" name="expires" defaultValue={firstExpiry} />}
      </Labelled>
      <FederationsField values={of?.federations ?? []} issuers={issuers} />
      {of === undefined && issuers.length > 0 && (
        <label class="check">
          <input type="checkbox" name="token" defaultChecked={firstToken !== ''} /> {API_KEYS.withToken}
          <span class="hint"> {API_KEYS.withTokenHint}</span>
        </label>
      )}
      <p class="notice neutral" role="status">
        {actions.length === 0
          ? API_KEYS.nothing
          : API_KEYS.sentence(
              actions,
              keyIds.length === 0 ? API_KEYS.everyKey : listed(keyNames),
              firewall === ''
                ? API_KEYS.fromAnywhere
                : API_KEYS.fromNetworks(walls.find(({ id }) => id === firewall)?.name ?? firewall),
            )}
      </p>
    </>
  );
}
