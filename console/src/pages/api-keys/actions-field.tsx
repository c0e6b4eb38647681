import type { Action } from '../../../../client/src/index.ts';
import { ACTION_SETS, ACTIONS } from '../../words.ts';

interface ActionsFieldProps {
  readonly values: readonly string[];
  readonly onChange: (change: (before: readonly string[]) => readonly string[]) => void;
}

const GROUPS: readonly { readonly title: string; readonly names: readonly Action[] }[] = [ACTIONS.use, ACTIONS.manage];

/** A checkbox for each action, in two groups, with buttons for common sets. */
export function ActionsField({ values, onChange }: ActionsFieldProps) {
  const toggle = (action: Action, on: boolean): void =>
    onChange((before) => [...before.filter((one) => one !== action), ...(on ? [action] : [])]);
  return (
    <fieldset>
      <legend>{ACTIONS.label}</legend>
      <p class="row presets">
        {Object.entries(ACTIONS.presets).map(([preset, title]) => (
          <button
            key={preset}
            type="button"
            class="small"
            onClick={({ currentTarget }) => {
              onChange(() => ACTION_SETS[preset] ?? []);
              // When a script changes a checkbox, the browser fires no `input` event. The form needs this event to
              // store its draft.
              currentTarget.form?.dispatchEvent(new Event('input'));
            }}
          >
            {title}
          </button>
        ))}
      </p>
      {GROUPS.map(({ title, names }) => (
        <div key={title} class="checks">
          <span class="muted small">{title}</span>
          {names.map((action) => (
            <label key={action}>
              <input
                type="checkbox"
                name="actions"
                value={action}
                checked={values.includes(action)}
                onChange={({ currentTarget }) => toggle(action, currentTarget.checked)}
              />{' '}
              {action}
            </label>
          ))}
        </div>
      ))}
    </fieldset>
  );
}
