import { useState } from 'preact/hooks';
import type { ApiKey, Firewall } from '../../../../client/src/index.ts';
import { navigate } from '../../address/address.ts';
import { Link } from '../../address/link.tsx';
import { PATHS, pathOfApiKey } from '../../address/paths.ts';
import { ContainerLink } from '../../parts/container-link.tsx';
import { Opener, useDialog } from '../../parts/do.tsx';
import { EventList, SHORT } from '../../parts/event-list.tsx';
import { Facts } from '../../parts/facts.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Found } from '../../parts/found.tsx';
import { Id } from '../../parts/id.tsx';
import { Known } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Name } from '../../parts/name.tsx';
import { Page } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { useAnswer } from '../../service/answer.ts';
import { apiKeys, caller, firewall, firewallsChanged } from '../../service/answers.ts';
import { refuseOverwriting } from '../../service/changed-meanwhile.ts';
import { isSame } from '../../service/lists.ts';
import { contains } from '../../service/networks.ts';
import { service } from '../../session/session.ts';
import { API_KEYS, COMMON, FIREWALLS } from '../../words.ts';
import { FirewallForm, type FirewallInput } from './firewall-form.tsx';

export function FirewallPage({ id }: { readonly id: string }) {
  return (
    <Found answer={firewall.of(id)} kind={FIREWALLS} list={PATHS.firewalls} also={[apiKeys.of()]}>
      {(subject) => <KnownFirewall subject={subject} />}
    </Found>
  );
}

function KnownFirewall({ subject }: { readonly subject: Firewall }) {
  const { id, name, allowed_ips, container_id, updated_at } = subject;
  const { open, close } = useDialog();
  const { value: allApiKeys } = useAnswer(apiKeys.of());
  const [changes] = useState(() => () => service().readAudit({ target_id: id, limit: SHORT }));
  const usersAmong = (all: readonly ApiKey[]) => all.filter(({ firewall_id }) => firewall_id === id);
  const users = allApiKeys && usersAmong(allApiKeys).length;
  const remove = async (): Promise<void> => {
    await service().deleteFirewall(id);
    navigate(PATHS.firewalls, { replace: true });
    firewallsChanged();
  };
  const actions = (
    <>
      <Opener opens="edit" text={FIREWALLS.edit} />
      <Opener opens="delete" text={FIREWALLS.delete} look="danger apart" />
    </>
  );
  return (
    <Page title={name} actions={actions}>
      <Facts
        facts={[
          [API_KEYS.facts.id, <Id key="id" id={id} whole />],
          [API_KEYS.facts.container, <ContainerLink key="container" id={container_id} />],
          [FIREWALLS.columns.updated, <Moment key="updated" time={updated_at} />],
        ]}
      />
      <Section title={FIREWALLS.networks}>
        <ul class="plain">
          {allowed_ips.map((network) => (
            <li key={network}>
              <code>{network}</code>
            </li>
          ))}
        </ul>
        <OwnAddress networks={allowed_ips} />
      </Section>
      <Section title={FIREWALLS.heldTo}>
        <Known answer={apiKeys.of()}>
          {(all) =>
            users === 0 ? (
              <p class="muted">{FIREWALLS.nobody}</p>
            ) : (
              <ul class="plain">
                {usersAmong(all).map((one) => (
                  <li key={one.id}>
                    <Link to={pathOfApiKey(one.id)}>
                      <Name text={one.name} />
                    </Link>
                  </li>
                ))}
              </ul>
            )
          }
        </Known>
      </Section>
      <Section title={FIREWALLS.changes}>
        <EventList read={changes} without="target" filter={`target_id=${id}`} />
      </Section>
      {open === 'edit' && <EditFirewall of={subject} users={users} onClose={close} />}
      {open === 'delete' && (
        <FormDialog
          title={FIREWALLS.deleteTitle(<Name text={name} />)}
          form={`delete-firewall-${id}`}
          submit={FIREWALLS.delete}
          danger
          onSubmit={remove}
          onClose={close}
        >
          <p>{FIREWALLS.deleteText(users)}</p>
        </FormDialog>
      )}
    </Page>
  );
}

interface EditFirewallProps {
  readonly of: Firewall;
  readonly users: number | undefined;
  readonly onClose: () => void;
}

function EditFirewall({ of, users, onClose }: EditFirewallProps) {
  // Somebody else may change the firewall while the form is open, so the form keeps the state from its opening.
  const [before] = useState(of);
  const { id, name, allowed_ips } = before;
  const save = async (input: FirewallInput): Promise<void> => {
    const change = {
      ...(input.name !== name && { name: input.name }),
      ...(!isSame(input.allowed_ips, allowed_ips) && { allowed_ips: input.allowed_ips }),
    };
    refuseOverwriting(change, before, await service().getFirewall(id));
    await service().updateFirewall(id, change);
    firewallsChanged();
    onClose();
  };
  return (
    <FirewallForm
      title={FIREWALLS.editTitle(<Name text={name} />)}
      submit={COMMON.save}
      of={before}
      users={users}
      onSubmit={save}
      onClose={onClose}
    />
  );
}

/** Says whether an API key with these networks would work from the person's own address. */
function OwnAddress({ networks }: { readonly networks: readonly string[] }) {
  const { value } = useAnswer(caller.of());
  const address = value?.address ?? null;
  if (address === null) return null;
  const isInside = networks.some((network) => contains(network, address));
  return <p class="muted">{isInside ? FIREWALLS.isInside(address) : FIREWALLS.isOutside(address)}</p>;
}
