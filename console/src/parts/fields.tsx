import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { COMMON } from '../words.ts';
import { useFirst } from './draft.ts';

/** An option of a select element. The form sends `value` and shows `text`. */
export interface Choice {
  readonly value: string;
  readonly text: string;
}

export interface ChoiceGroup {
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

/** A field for a required name of 1 to 128 characters. */
export function NameField({ value = '' }: { readonly value?: string }) {
  const [first = ''] = useFirst('name', [value]);
  return (
    <label class="field">
      <span>{COMMON.name}</span>
      <input
        name="name"
        required
        maxLength={128}
        autocomplete="off"
        spellcheck={false}
        defaultValue={first}
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
      {(given) => <input {...given} name={name} maxLength={128} autocomplete="off" defaultValue={first} />}
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
  readonly onChange?: (value: string) => void;
}

/** A select element for one value. */
export function SelectField({ name, label, choices, groups = [], value, hint, onChange }: SelectProps) {
  const isSelected = (choice: string): boolean => choice === value;
  return (
    <Labelled label={label} hint={hint}>
      {(given) => (
        <select {...given} name={name} onChange={({ currentTarget }) => onChange?.(currentTarget.value)}>
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
  readonly onChange?: (values: readonly string[]) => void;
}

/**
 * Selects or deselects the clicked option, and keeps the others. Without this, a click deselects all other options
 * unless the person holds Ctrl.
 */
function toggle(event: MouseEvent & { readonly currentTarget: HTMLSelectElement }): void {
  const { target, currentTarget: list, button } = event;
  if (!(target instanceof HTMLOptionElement) || button !== 0 || event.shiftKey) return;
  event.preventDefault();
  const { scrollTop } = list;
  target.selected = !target.selected;
  list.focus();
  list.scrollTop = scrollTop;
  for (const name of ['input', 'change']) list.dispatchEvent(new Event(name, { bubbles: true }));
}

/** A select element for any number of values. */
export function SeveralField({ name, label, choices, values, hint, onChange }: SeveralProps) {
  return (
    <Labelled label={label} hint={hint}>
      {(given) => (
        <select
          {...given}
          name={name}
          multiple
          onMouseDown={toggle}
          size={Math.min(6, Math.max(3, choices.length))}
          onChange={({ currentTarget }) => onChange?.([...currentTarget.selectedOptions].map(({ value }) => value))}
        >
          <Options choices={choices} isSelected={(choice) => values.includes(choice)} />
        </select>
      )}
    </Labelled>
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
