import type { ComponentChildren } from 'preact';
import type { Firewall } from '../../../../client/src/index.ts';
import { ContainerField } from '../../parts/container-field.tsx';
import { LinesField, NameField, textOf } from '../../parts/fields.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useAnswer } from '../../service/answer.ts';
import { caller, containers } from '../../service/answers.ts';
import { FIREWALLS } from '../../words.ts';

export interface FirewallInput {
  readonly name: string;
  readonly allowed_ips: string[];
  readonly container_id: string | null;
}

interface FirewallFormProps {
  readonly title: ComponentChildren;
  readonly submit: string;
  readonly of?: Firewall;
  /** The number of API keys that use the firewall, if known. */
  readonly users?: number | undefined;
  readonly onSubmit: (input: FirewallInput) => Promise<void>;
  readonly onClose: () => void;
}

export function FirewallForm({ title, submit, of, users, onSubmit, onClose }: FirewallFormProps) {
  const { value: own } = useAnswer(caller.of());
  const address = own?.address ?? null;
  const send = (data: FormData): Promise<void> =>
    onSubmit({
      name: textOf(data, 'name'),
      allowed_ips: textOf(data, 'networks')
        .split(/[\s,]+/)
        .filter((network) => network !== ''),
      container_id: textOf(data, 'container') || null,
    });
  return (
    <FormDialog
      title={title}
      // A draft is never applied to a firewall that somebody else has changed since.
      form={`firewall-${of === undefined ? '' : `${of.id}-${of.updated_at.getTime()}`}`}
      submit={submit}
      lists={of === undefined ? [containers.of()] : []}
      onSubmit={send}
      onClose={onClose}
    >
      <NameField value={of?.name ?? ''} />
      <LinesField
        name="networks"
        label={FIREWALLS.networks}
        value={of?.allowed_ips.join('\n') ?? ''}
        hint={FIREWALLS.networksHint}
        offer={address === null ? undefined : { line: address, text: FIREWALLS.addOwn(address) }}
      />
      {of === undefined ? <ContainerField /> : <p class="notice neutral">{FIREWALLS.editText(users)}</p>}
    </FormDialog>
  );
}
