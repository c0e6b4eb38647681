import { useEffect, useRef, useState } from 'preact/hooks';
import { ADMINISTRATION, AUDIT_OPERATIONS } from '../../../../client/src/api/generated.ts';
import { setQuery, useAddress } from '../../address/address.ts';
import { Labelled, SelectField } from '../../parts/fields.tsx';
import { shortened } from '../../parts/id.tsx';
import { Name } from '../../parts/name.tsx';
import { useNames } from '../../parts/names.ts';
import { useAnswer } from '../../service/answer.ts';
import { keys } from '../../service/answers.ts';
import { AUDIT, SPANS } from '../../words.ts';
import { ALL_ADMINISTRATION, readTime } from './filters.ts';

/** The delay between the last keystroke in a time filter and its effect. */
const TYPING_MS = 400;

const asChoices = (operations: readonly string[]) => operations.map((value) => ({ value, text: value }));
const isAdministration = (operation: string): boolean => ADMINISTRATION.some((one) => one === operation);

const OPERATIONS = [
  { title: AUDIT.groups.keys, choices: asChoices(AUDIT_OPERATIONS.filter((one) => !isAdministration(one))) },
  {
    title: AUDIT.groups.administration,
    choices: [{ value: ALL_ADMINISTRATION, text: AUDIT.allAdministration }, ...asChoices(ADMINISTRATION)],
  },
];

/** Filters that a person can set only through a link. The page shows each such filter with a button that removes it. */
const CHIPS = [
  { parameter: 'api_key_id', textOf: AUDIT.apiKeyChip },
  { parameter: 'user_id', textOf: AUDIT.personChip },
  { parameter: 'target_id', textOf: AUDIT.targetChip },
] as const;

/** The filters of the audit log. The address contains each filter under the name of the API's parameter. */
export function AuditFilters() {
  const { query } = useAddress();
  const { value: allKeys = [] } = useAnswer(keys.of());
  const names = useNames();
  const any = { value: '', text: AUDIT.any };
  const keyId = query.get('key_id') ?? '';
  const chips = CHIPS.flatMap(({ parameter, textOf }) => {
    const id = query.get(parameter);
    return id === null ? [] : [{ parameter, text: textOf(names.get(id)?.name ?? shortened(id)) }];
  });
  // A destroyed key is missing from the list of keys, but its events still exist. So it needs a separate option.
  const unlisted = keyId === '' || allKeys.some(({ id }) => id === keyId) ? [] : [{ value: keyId, text: keyId }];
  return (
    <search class="filters" aria-label={AUDIT.filters}>
      <SelectField
        name="key_id"
        label={AUDIT.key}
        choices={[any, ...allKeys.map(({ id, name }) => ({ value: id, text: name })), ...unlisted]}
        value={keyId}
        onChange={(value) => setQuery({ key_id: value })}
      />
      <SelectField
        name="operation"
        label={AUDIT.operation}
        choices={[any]}
        groups={OPERATIONS}
        value={query.get('operation') ?? ''}
        onChange={(value) => setQuery({ operation: value })}
      />
      <SelectField
        name="result"
        label={AUDIT.result}
        choices={[any, { value: 'success', text: 'success' }, { value: 'error', text: 'error' }]}
        value={query.get('result') ?? ''}
        onChange={(value) => setQuery({ result: value })}
      />
      <TimeField name="since" label={AUDIT.since} />
      <TimeField name="until" label={AUDIT.until} />
      <p class="row">
        {SPANS.map(({ hours, text }) => (
          <button
            key={hours}
            type="button"
            class="small"
            onClick={() => setQuery({ since: hoursAgo(hours), until: undefined })}
          >
            {text}
          </button>
        ))}
      </p>
      {chips.length > 0 && (
        <p class="row">
          {chips.map(({ parameter, text }) => (
            <Chip key={parameter} text={text} onRemove={() => setQuery({ [parameter]: undefined })} />
          ))}
        </p>
      )}
    </search>
  );
}

const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();

function TimeField({ name, label }: { readonly name: 'since' | 'until'; readonly label: string }) {
  const { query } = useAddress();
  const inAddress = query.get(name) ?? '';
  const [typed, setTyped] = useState(inAddress);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const read = readTime(typed);
  useEffect(() => {
    // Something else changed the address, for example the button that clears the filters. Do not apply input that still
    // waits.
    clearTimeout(timer.current);
    if (readTime(typed) !== inAddress) setTyped(inAddress);
    return () => clearTimeout(timer.current);
  }, [inAddress]);
  const apply = (text: string): void => {
    clearTimeout(timer.current);
    const time = readTime(text);
    if (text.trim() === '') setQuery({ [name]: undefined });
    else if (time !== undefined) setQuery({ [name]: time });
  };
  const type = (text: string): void => {
    setTyped(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => apply(text), TYPING_MS);
  };
  const isWrong = typed.trim() !== '' && read === undefined;
  return (
    <Labelled label={label} hint={isWrong ? AUDIT.notUnderstood : read === undefined ? undefined : understood(read)}>
      {(given) => (
        <input
          {...given}
          name={name}
          value={typed}
          placeholder="2026-11-01 08:00"
          title={AUDIT.localHint}
          autocomplete="off"
          aria-invalid={isWrong}
          onInput={({ currentTarget }) => type(currentTarget.value)}
          onChange={({ currentTarget }) => apply(currentTarget.value)}
        />
      )}
    </Labelled>
  );
}

/** Says which moment a typed time was taken for, in UTC as the log shows it. */
const understood = (time: string): string =>
  AUDIT.understood(
    new Date(time)
      .toISOString()
      .replace('T', ' ')
      .replace(/(?::00)?\.000Z$/, ' UTC'),
  );

function Chip({ text, onRemove }: { readonly text: string; readonly onRemove: () => void }) {
  return (
    <button type="button" class="chip" aria-label={AUDIT.remove(text)} onClick={onRemove}>
      <Name text={text} /> <span aria-hidden="true">×</span>
    </button>
  );
}
