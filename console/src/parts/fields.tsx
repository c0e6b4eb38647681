import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { COMMON } from '../words.ts';

/** A choice of a list: what is sent, and what is shown. */
export interface Choice {
  readonly value: string;
  readonly text: string;
}

/** The text that a form has under a name. */
export const textOf = (data: FormData, name: string): string => String(data.get(name) ?? '');

/** A thing's name, 1 to 128 characters. */
export function NameField({ value = '' }: { readonly value?: string }) {
  return (
    <label class="field">
      <span>{COMMON.name}</span>
      <input
        name="name"
        required
        maxLength={128}
        autocomplete="off"
        spellcheck={false}
        defaultValue={value}
        autofocus
      />
    </label>
  );
}

interface SelectProps {
  readonly name: string;
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly value?: string | undefined;
  readonly hint?: ComponentChildren;
  readonly onChange?: (value: string) => void;
}

/** One of several. */
export function SelectField({ name, label, choices, value, hint, onChange }: SelectProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        name={name}
        {...(hint !== undefined && { 'aria-describedby': `${id}-hint` })}
        onChange={({ currentTarget }) => onChange?.(currentTarget.value)}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value} selected={choice.value === value}>
            {choice.text}
          </option>
        ))}
      </select>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
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

/** Any number of several. */
export function SeveralField({ name, label, choices, values, hint, onChange }: SeveralProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        name={name}
        multiple
        size={Math.min(6, Math.max(3, choices.length))}
        aria-describedby={`${id}-hint`}
        onChange={({ currentTarget }) => onChange?.([...currentTarget.selectedOptions].map(({ value }) => value))}
      >
        {choices.map(({ value, text }) => (
          <option key={value} value={value} selected={values.includes(value)}>
            {text}
          </option>
        ))}
      </select>
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
    </div>
  );
}

interface LinesProps {
  readonly name: string;
  readonly label: string;
  readonly value?: string;
  readonly hint: string;
}

/** Several lines of text. */
export function LinesField({ name, label, value = '', hint }: LinesProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        name={name}
        rows={5}
        required
        spellcheck={false}
        aria-describedby={`${id}-hint`}
        defaultValue={value}
      />
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
    </div>
  );
}
