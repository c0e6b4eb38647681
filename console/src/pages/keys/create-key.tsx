import { useState } from 'preact/hooks';
import type { Tier } from '../../../../client/src/index.ts';
import { ContainerField } from '../../parts/container-field.tsx';
import { NameField, SelectField, textOf } from '../../parts/fields.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useAnswer } from '../../service/answer.ts';
import { billing, keys, keysChanged } from '../../service/answers.ts';
import { service } from '../../session/session.ts';
import { COMMON, KEYS, TIER_TEXT } from '../../words.ts';

const TIER_NAMES: readonly Tier[] = ['free', 'wrapped', 'software', 'hsm'];

/** Asks for a new key's name, tier and container, and creates it. */
export function CreateKey({ onClose }: { readonly onClose: () => void }) {
  const { value: standing } = useAnswer(billing.of());
  const { value: all = [] } = useAnswer(keys.of());
  const freeIsTaken = standing?.standing === 'good' && all.some(({ tier }) => tier === 'free');
  const [chosen, setChosen] = useState<string>();
  const tier = TIER_NAMES.find((name) => name === chosen) ?? (freeIsTaken ? 'software' : 'free');
  const create = async (data: FormData): Promise<void> => {
    await service().createKey({
      name: textOf(data, 'name'),
      tier: textOf(data, 'tier'),
      container_id: textOf(data, 'container') || null,
    });
    keysChanged();
    onClose();
  };
  return (
    <FormDialog title={KEYS.create} form="create-key" submit={COMMON.create} onSubmit={create} onClose={onClose}>
      <NameField />
      <SelectField
        name="tier"
        label={KEYS.tier}
        choices={TIER_NAMES.map((name) => ({ value: name, text: name }))}
        value={tier}
        hint={TIER_TEXT[tier]}
        onChange={setChosen}
      />
      <ContainerField />
    </FormDialog>
  );
}
