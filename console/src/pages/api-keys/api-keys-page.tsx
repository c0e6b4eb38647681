import type { ApiKey, Firewall } from '../../../../client/src/index.ts';
import { Link } from '../../address/link.tsx';
import { pathOfApiKey } from '../../address/paths.ts';
import { tokenStart } from '../../parts/id.tsx';
import { ListPage } from '../../parts/list-page.tsx';
import { Moment } from '../../parts/moment.tsx';
import type { Column } from '../../parts/table.tsx';
import { waysToCreateApiKey } from '../../parts/ways.ts';
import { useAnswer } from '../../service/answer.ts';
import { apiKeys, containers, firewalls } from '../../service/answers.ts';
import { API_KEYS, COMMON } from '../../words.ts';
import { CreateApiKey } from './create-api-key.tsx';
import { Restrictions } from './restrictions.tsx';

export function ApiKeysPage() {
  const { value: places = [] } = useAnswer(containers.of());
  const { value: walls = [] } = useAnswer(firewalls.of());
  const names = new Map(places.map(({ id, name }) => [id, name]));
  return (
    <ListPage
      kind={API_KEYS}
      answer={apiKeys.of()}
      columns={columnsOf(names, walls)}
      textOf={({ id, name, prefix }) => `${name} ${tokenStart(prefix)} ${id}`}
      ways={waysToCreateApiKey()}
      creation={(close) => <CreateApiKey onClose={close} />}
    />
  );
}

function columnsOf(containerNames: ReadonlyMap<string, string>, walls: readonly Firewall[]): Column<ApiKey>[] {
  const { columns } = API_KEYS;
  const containerOf = ({ container_id }: ApiKey): string => containerNames.get(container_id) ?? '';
  return [
    {
      id: 'name',
      title: columns.name,
      sort: ({ name }) => name,
      cell: ({ id, name }) => <Link to={pathOfApiKey(id)}>{name}</Link>,
    },
    {
      id: 'prefix',
      title: columns.prefix,
      cell: ({ prefix }) => <code title={prefix}>{`${prefix.slice(0, 8)}…`}</code>,
    },
    {
      id: 'container',
      title: columns.container,
      sort: containerOf,
      cell: (row) => <span class="name">{containerOf(row)}</span>,
    },
    { id: 'actions', title: columns.actions, cell: ({ allowed_actions }) => allowed_actions.join(', ') || COMMON.none },
    { id: 'restrictions', title: columns.restrictions, cell: (row) => <Restrictions of={row} firewalls={walls} /> },
    {
      id: 'used',
      title: columns.used,
      sort: ({ last_used_at }) => last_used_at?.getTime() ?? 0,
      cell: ({ last_used_at }) => (last_used_at === null ? COMMON.never : <Moment time={last_used_at} />),
    },
  ];
}
