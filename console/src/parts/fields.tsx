import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { COMMON } from '../words.ts';
import { useFirst } from './draft.ts';
import { Name } from './name.tsx';

/** An option of a select element. The form sends `value` and shows `text`. */
export interface Choice {
  readonly value: string;
  readonly text: string;
}

interface ChoiceGroup {
  readonly title: string;
  readonly choices: readonly Choice[];
}

/**
 * Returns the choices and all chosen values. A chosen value that is no longer offered is added, so that it stays
 * visible.
 */
export function withChosen(
  choices: readonly Choice[],
  chosen: readonly string[],
  nameOf: (value: string) => string = (value) => value,
): readonly Choice[] {
  const missing = chosen.filter((one) => one !== '' && !choices.some(({ value }) => value === one));
  return [...choices, ...missing.map((value) => ({ value, text: nameOf(value) }))];
}

/** Returns the value of a form field, or an empty string if the form has no such field. */
export const textOf = (data: FormData, name: string): string => String(data.get(name) ?? '');

/** The most characters of a name or a note. */
const MOST = 128;

/** Counts characters as the service does. The attribute `maxLength` would count halves of emojis, and cut silently. */
function refuseLong({ currentTarget }: { readonly currentTarget: HTMLInputElement }): void {
  const { length } = [...currentTarget.value];
  currentTarget.setCustomValidity(length > MOST ? COMMON.tooLong(length, MOST) : '');
}

/** A field for a required name of 1 to 128 characters. */
export function NameField({ value = '' }: { readonly value?: string }) {
  const [first = ''] = useFirst('name', [value]);
  return (
    <label class="field">
      <span>{COMMON.name}</span>
      <input
        name="name"
        required
        autocomplete="off"
        spellcheck={false}
        defaultValue={first}
        onInput={refuseLong}
        autofocus
      />
    </label>
  );
}

interface TextProps {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
}

/** A field for an optional line of text of up to 128 characters. */
export function TextField({ name, label, hint }: TextProps) {
  const [first = ''] = useFirst(name, ['']);
  return (
    <Labelled label={label} hint={hint}>
      {(given) => <input {...given} name={name} autocomplete="off" defaultValue={first} onInput={refuseLong} />}
    </Labelled>
  );
}

interface LabelledProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  /**
   * Renders the control. The control must have the attributes in `given`, which connect it to its label and its hint.
   */
  readonly children: (given: { readonly id: string; readonly 'aria-describedby'?: string }) => ComponentChildren;
}

/** A control with a label above and an optional hint below. */
export function Labelled({ label, hint, children }: LabelledProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, ...(hint !== undefined && { 'aria-describedby': hintId }) })}
      {hint !== undefined && (
        <p class="hint" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface SelectProps {
  readonly name: string;
  readonly label: string;
  readonly choices: readonly Choice[];
  /** Groups of further options, shown below `choices`. Each group has a title. */
  readonly groups?: readonly ChoiceGroup[];
  readonly value?: string | undefined;
  readonly hint?: ComponentChildren;
  /** Why the form cannot be sent with this value, if so. */
  readonly invalid?: string | undefined;
  readonly onChange?: (value: string) => void;
}

/** A select element for one value. */
export function SelectField({ name, label, choices, groups = [], value, hint, invalid = '', onChange }: SelectProps) {
  const isSelected = (choice: string): boolean => choice === value;
  return (
    <Labelled label={label} hint={hint}>
      {(given) => (
        <select
          {...given}
          name={name}
          ref={(element) => element?.setCustomValidity(invalid)}
          onChange={({ currentTarget }) => onChange?.(currentTarget.value)}
        >
          <Options choices={choices} isSelected={isSelected} />
          {groups.map((group) => (
            <optgroup key={group.title} label={group.title}>
              <Options choices={group.choices} isSelected={isSelected} />
            </optgroup>
          ))}
        </select>
      )}
    </Labelled>
  );
}

interface SeveralProps {
  readonly name: string;
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly values: readonly string[];
  readonly hint: string;
  /** The label of the search, which long lists have. */
  readonly search: string;
  /** Says how many choices are selected. */
  readonly selected: (selected: number, all: number) => string;
  readonly onChange: (values: readonly string[]) => void;
}

/** The most choices that are shown without a search. */
const WITHOUT_SEARCH = 8;

/** A searchable list of checkboxes for any number of values. The search hides choices, but keeps them selected. */
export function SeveralField({ name, label, choices, values, hint, search, selected, onChange }: SeveralProps) {
  const [wanted, setWanted] = useState('');
  const hintId = useId();
  const text = wanted.trim().toLowerCase();
  const isShown = (choice: Choice): boolean =>
    choice.text.toLowerCase().includes(text) || choice.value.includes(text) || text === '';
  const toggle = (value: string, on: boolean): void =>
    onChange([...values.filter((one) => one !== value), ...(on ? [value] : [])]);
  return (
    <fieldset class="several" aria-describedby={hintId}>
      <legend>{label}</legend>
      {choices.length > WITHOUT_SEARCH && (
        <input
          type="search"
          aria-label={search}
          placeholder={search}
          value={wanted}
          onInput={(event) => {
            // What is searched is no input of the form.
            event.stopPropagation();
            setWanted(event.currentTarget.value);
          }}
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        />
      )}
      <div class="choices">
        {choices.map((choice) => (
          <label key={choice.value} hidden={!isShown(choice)}>
            <input
              type="checkbox"
              name={name}
              value={choice.value}
              checked={values.includes(choice.value)}
              onChange={({ currentTarget }) => toggle(choice.value, currentTarget.checked)}
            />{' '}
            <Name text={choice.text} />
          </label>
        ))}
      </div>
      <p class="hint" id={hintId}>
        {selected(values.length, choices.length)} {hint}
      </p>
    </fieldset>
  );
}

interface OptionsProps {
  readonly choices: readonly Choice[];
  readonly isSelected: (value: string) => boolean;
}

function Options({ choices, isSelected }: OptionsProps) {
  return (
    <>
      {choices.map(({ value, text }) => (
        <option key={value} value={value} selected={isSelected(value)}>
          {text}
        </option>
      ))}
    </>
  );
}

interface LinesProps {
  readonly name: string;
  readonly label: string;
  readonly value?: string;
  readonly hint: string;
  /** A line that a button adds to the field. */
  readonly offer?: { readonly line: string; readonly text: string } | undefined;
}

/** A field for text with one entry per line. */
export function LinesField({ name, label, value = '', hint, offer }: LinesProps) {
  const [first = ''] = useFirst(name, [value]);
  const area = useRef<HTMLTextAreaElement>(null);
  const add = (line: string): void => {
    if (area.current === null) return;
    const lines = area.current.value.split('\n').filter((one) => one.trim() !== '');
    area.current.value = [...lines.filter((one) => one !== line), line].join('\n');
    // The form stores its draft when it gets this event.
    area.current.dispatchEvent(new Event('input', { bubbles: true }));
  };
  return (
    <>
      <Labelled label={label} hint={hint}>
        {(given) => (
          <textarea {...given} ref={area} name={name} rows={5} required spellcheck={false} defaultValue={first} />
        )}
      </Labelled>
      {offer !== undefined && (
        <p class="row">
          <button type="button" class="small" onClick={() => add(offer.line)}>
            {offer.text}
          </button>
        </p>
      )}
    </>
  );
}
