import type { Firewall } from '../../../../client/src/index.ts';
import { navigate } from '../../address/address.ts';
import { Link } from '../../address/link.tsx';
import { PATHS, pathOfApiKey } from '../../address/paths.ts';
import { useDialog } from '../../parts/do.ts';
import { Facts } from '../../parts/facts.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Id } from '../../parts/id.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { useAnswer } from '../../service/answer.ts';
import { apiKeys, containers, firewalls } from '../../service/answers.ts';
import { service } from '../../session/session.ts';
import { API_KEYS, COMMON, FIREWALLS } from '../../words.ts';
import { FirewallForm, type FirewallInput } from './firewall-form.tsx';

/** One firewall: its networks, and the API keys held to it. */
export function FirewallPage({ id }: { readonly id: string }) {
  return (
    <Loaded answer={firewalls.of()}>
      {(all) => {
        const subject = all.find((one) => one.id === id);
        return subject === undefined ? (
          <Page title={FIREWALLS.gone}>
            <p>{FIREWALLS.goneText}</p>
          </Page>
        ) : (
          <KnownFirewall subject={subject} />
        );
      }}
    </Loaded>
  );
}

function KnownFirewall({ subject }: { readonly subject: Firewall }) {
  const { id, name, allowed_ips, container_id, updated_at } = subject;
  const { open, show, close } = useDialog();
  const { value: places = [] } = useAnswer(containers.of());
  const { value: allApiKeys = [] } = useAnswer(apiKeys.of());
  const users = allApiKeys.filter(({ firewall_id }) => firewall_id === id);
  const save = async (input: FirewallInput): Promise<void> => {
    await service().updateFirewall(id, { name: input.name, allowed_ips: input.allowed_ips });
    firewalls.refresh();
    close();
  };
  const remove = async (): Promise<void> => {
    await service().deleteFirewall(id);
    navigate(PATHS.firewalls, { replace: true });
    firewalls.refresh();
  };
  const actions = (
    <>
      <button type="button" onClick={() => show('edit')}>
        {FIREWALLS.edit}
      </button>
      <button type="button" class="danger apart" onClick={() => show('delete')}>
        {FIREWALLS.delete}
      </button>
    </>
  );
  return (
    <Page title={name} actions={actions}>
      <Facts
        facts={[
          [API_KEYS.facts.id, <Id key="id" id={id} whole />],
          [API_KEYS.facts.container, places.find((place) => place.id === container_id)?.name ?? ''],
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
      </Section>
      <Section title={FIREWALLS.heldTo}>
        {users.length === 0 ? (
          <p class="muted">{FIREWALLS.nobody}</p>
        ) : (
          <ul class="plain">
            {users.map((one) => (
              <li key={one.id}>
                <Link to={pathOfApiKey(one.id)}>{one.name}</Link>
              </li>
            ))}
          </ul>
        )}
      </Section>
      {open === 'edit' && (
        <FirewallForm
          title={FIREWALLS.editTitle(name)}
          submit={COMMON.save}
          of={subject}
          users={users.length}
          onSubmit={save}
          onClose={close}
        />
      )}
      {open === 'delete' && (
        <FormDialog
          title={FIREWALLS.deleteTitle(name)}
          form={`delete-firewall-${id}`}
          submit={FIREWALLS.delete}
          danger
          onSubmit={remove}
          onClose={close}
        >
          <p>{FIREWALLS.deleteText(users.length)}</p>
        </FormDialog>
      )}
    </Page>
  );
}
