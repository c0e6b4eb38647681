import { useAnswer } from '../service/answer.ts';
import { containers } from '../service/answers.ts';
import { KEYS } from '../words.ts';
import { useFirst } from './draft.ts';
import { SelectField, withChosen } from './fields.tsx';

/** A field for the container of a new item. The dialog that contains this field must load the containers first. */
export function ContainerField({ onChange }: { readonly onChange?: (id: string) => void }) {
  const { value: all = [] } = useAnswer(containers.of());
  const byDefault = [...all].sort((a, b) => Number(b.is_default) - Number(a.is_default));
  const choices = byDefault.map(({ id, name }) => ({ value: id, text: name }));
  const [first = ''] = useFirst(
    'container',
    choices.slice(0, 1).map(({ value }) => value),
  );
  return (
    <SelectField
      name="container"
      label={KEYS.container}
      choices={withChosen(choices, [first])}
      value={first}
      {...(onChange !== undefined && { onChange })}
    />
  );
}
