import { Link } from '../../address/link.tsx';
import { pathOfFirewall } from '../../address/paths.ts';
import { useDialog } from '../../parts/do.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { Snippets } from '../../parts/snippet.tsx';
import { Table } from '../../parts/table.tsx';
import { waysToCreateFirewall } from '../../parts/ways.ts';
import { useAnswer } from '../../service/answer.ts';
import { apiKeys, containers, firewalls } from '../../service/answers.ts';
import { service } from '../../session/session.ts';
import { COMMON, count, FIREWALLS } from '../../words.ts';
import { FirewallForm, type FirewallInput } from './firewall-form.tsx';

/** All firewalls of the tenant. */
export function FirewallsPage() {
  const { open, show, close } = useDialog();
  const { value: places = [] } = useAnswer(containers.of());
  const { value: allApiKeys } = useAnswer(apiKeys.of());
  const { columns } = FIREWALLS;
  const users = (id: string): number => allApiKeys?.filter(({ firewall_id }) => firewall_id === id).length ?? 0;
  const placeOf = (id: string): string => places.find((place) => place.id === id)?.name ?? '';
  const create = async (input: FirewallInput): Promise<void> => {
    await service().createFirewall(input);
    firewalls.refresh();
    close();
  };
  const button = (
    <button type="button" class="primary" onClick={() => show('create')}>
      {FIREWALLS.create}
    </button>
  );
  return (
    <Page title={FIREWALLS.title} actions={button}>
      <Loaded answer={firewalls.of()}>
        {(all) =>
          all.length === 0 ? (
            <div class="empty">
              <p>{FIREWALLS.empty}</p>
              <Snippets lines={waysToCreateFirewall()} />
            </div>
          ) : (
            <Table
              caption={FIREWALLS.title}
              rows={all}
              columns={[
                {
                  id: 'name',
                  title: columns.name,
                  sort: ({ name }) => name,
                  cell: ({ id, name }) => <Link to={pathOfFirewall(id)}>{name}</Link>,
                },
                {
                  id: 'networks',
                  title: columns.networks,
                  cell: ({ allowed_ips }) => (
                    <code>
                      {allowed_ips.slice(0, 3).join(', ')}
                      {allowed_ips.length > 3 && ` +${count(allowed_ips.length - 3)}`}
                    </code>
                  ),
                },
                { id: 'container', title: columns.container, cell: ({ container_id }) => placeOf(container_id) },
                {
                  id: 'api-keys',
                  title: columns.apiKeys,
                  isNumber: true,
                  sort: ({ id }) => users(id),
                  cell: ({ id }) => (allApiKeys === undefined ? '' : count(users(id))),
                },
                {
                  id: 'updated',
                  title: columns.updated,
                  sort: ({ updated_at }) => updated_at.getTime(),
                  cell: ({ updated_at }) => <Moment time={updated_at} />,
                },
              ]}
              idOf={({ id }) => id}
              textOf={({ name, allowed_ips }) => `${name} ${allowed_ips.join(' ')}`}
              searchLabel={FIREWALLS.search}
            />
          )
        }
      </Loaded>
      {open === 'create' && (
        <FirewallForm title={FIREWALLS.createTitle} submit={COMMON.create} onSubmit={create} onClose={close} />
      )}
    </Page>
  );
}
