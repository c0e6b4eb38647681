import type { ApiKey, Container, Firewall } from '../../../../client/src/index.ts';
import { Link } from '../../address/link.tsx';
import { pathOfFirewall } from '../../address/paths.ts';
import { ListPage } from '../../parts/list-page.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Name } from '../../parts/name.tsx';
import type { Column } from '../../parts/table.tsx';
import { waysToCreateFirewall } from '../../parts/ways.ts';
import { useAnswer } from '../../service/answer.ts';
import { apiKeys, containers, firewalls, firewallsChanged } from '../../service/answers.ts';
import { service } from '../../session/session.ts';
import { COMMON, count, FIREWALLS } from '../../words.ts';
import { FirewallForm, type FirewallInput } from './firewall-form.tsx';

/** The maximum number of networks that a row shows. */
const MAX_NETWORKS = 3;

export function FirewallsPage() {
  const { value: places = [] } = useAnswer(containers.of());
  const { value: allApiKeys } = useAnswer(apiKeys.of());
  return (
    <ListPage
      kind={FIREWALLS}
      answer={firewalls.of()}
      columns={columnsOf(places, allApiKeys)}
      textOf={({ name, allowed_ips }) => `${name} ${allowed_ips.join(' ')}`}
      ways={waysToCreateFirewall()}
      creation={(close) => <CreateFirewall onClose={close} />}
    />
  );
}

function CreateFirewall({ onClose }: { readonly onClose: () => void }) {
  const create = async (input: FirewallInput): Promise<void> => {
    await service().createFirewall(input);
    firewallsChanged();
    onClose();
  };
  return <FirewallForm title={FIREWALLS.createTitle} submit={COMMON.create} onSubmit={create} onClose={onClose} />;
}

function columnsOf(places: readonly Container[], allApiKeys: readonly ApiKey[] | undefined): Column<Firewall>[] {
  const { columns } = FIREWALLS;
  const containerOf = ({ container_id }: Firewall): string => places.find(({ id }) => id === container_id)?.name ?? '';
  const users = ({ id }: Firewall): number => allApiKeys?.filter(({ firewall_id }) => firewall_id === id).length ?? 0;
  return [
    {
      id: 'name',
      title: columns.name,
      sort: ({ name }) => name,
      cell: ({ id, name }) => (
        <Link to={pathOfFirewall(id)}>
          <Name text={name} />
        </Link>
      ),
    },
    {
      id: 'networks',
      title: columns.networks,
      cell: ({ allowed_ips }) => (
        <span class="links">
          {allowed_ips.slice(0, MAX_NETWORKS).map((network) => (
            <code key={network}>{network}</code>
          ))}
          {allowed_ips.length > MAX_NETWORKS && (
            <span class="muted">{FIREWALLS.further(allowed_ips.length - MAX_NETWORKS)}</span>
          )}
        </span>
      ),
    },
    {
      id: 'container',
      title: columns.container,
      sort: containerOf,
      cell: (row) => (
        <span class="name">
          <Name text={containerOf(row)} />
        </span>
      ),
    },
    {
      id: 'api-keys',
      title: columns.apiKeys,
      isNumber: true,
      sort: users,
      cell: (row) => (allApiKeys === undefined ? '' : count(users(row))),
    },
    {
      id: 'updated',
      title: columns.updated,
      sort: ({ updated_at }) => updated_at.getTime(),
      cell: ({ updated_at }) => <Moment time={updated_at} />,
    },
  ];
}
