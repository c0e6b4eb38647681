import { useState } from 'preact/hooks';
import { TIERS } from '../../../../client/src/api/generated.ts';
import { ContainerField } from '../../parts/container-field.tsx';
import { useFirst } from '../../parts/draft.ts';
import { NameField, SelectField, textOf } from '../../parts/fields.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useAnswer } from '../../service/answer.ts';
import { billing, containers, keys, keysChanged } from '../../service/answers.ts';
import { service } from '../../session/session.ts';
import { COMMON, KEYS, tierChoice, tierText } from '../../words.ts';

export function CreateKey({ onClose }: { readonly onClose: () => void }) {
  const create = async (data: FormData): Promise<void> => {
    await service().createKey({
      name: textOf(data, 'name'),
      tier: TIERS.find((tier) => tier === textOf(data, 'tier')) ?? 'free',
      container_id: textOf(data, 'container') || null,
    });
    keysChanged();
    onClose();
  };
  return (
    <FormDialog
      title={KEYS.create}
      form="create-key"
      submit={COMMON.create}
      lists={[containers.of()]}
      onSubmit={create}
      onClose={onClose}
    >
      <NameField />
      <TierField />
      <ContainerField />
    </FormDialog>
  );
}

/**
 * A field for the tier. The default is `free`, or `software` if the tenant already has a free key and is in good
 * standing.
 */
function TierField() {
  const { value: standing } = useAnswer(billing.of());
  const { value: all = [] } = useAnswer(keys.of());
  const freeIsTaken = standing?.standing === 'good' && all.some(({ tier }) => tier === 'free');
  const [first] = useFirst('tier', []);
  const [chosen, setChosen] = useState(first);
  const tier = TIERS.find((name) => name === chosen) ?? (freeIsTaken ? 'software' : 'free');
  return (
    <SelectField
      name="tier"
      label={KEYS.tier}
      choices={TIERS.map((name) => ({ value: name, text: tierChoice(name) }))}
      value={tier}
      hint={tierText(tier)}
      onChange={setChosen}
    />
  );
}
