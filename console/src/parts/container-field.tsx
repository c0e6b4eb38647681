import { useAnswer } from '../service/answer.ts';
import { containers } from '../service/answers.ts';
import { KEYS } from '../words.ts';
import { SelectField } from './fields.tsx';

/** The container of a new thing, the default one at first. */
export function ContainerField({ onChange }: { readonly onChange?: (id: string) => void }) {
  const { value: all = [] } = useAnswer(containers.of());
  const byDefault = [...all].sort((a, b) => Number(b.is_default) - Number(a.is_default));
  const choices = byDefault.map(({ id, name }) => ({ value: id, text: name }));
  return (
    <SelectField
      name="container"
      label={KEYS.container}
      choices={choices}
      value={byDefault[0]?.id}
      {...(onChange !== undefined && { onChange })}
    />
  );
}
