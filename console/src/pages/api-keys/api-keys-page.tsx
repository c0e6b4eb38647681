import type { ApiKey, Firewall } from '../../../../client/src/index.ts';
import { Link } from '../../address/link.tsx';
import { pathOfApiKey } from '../../address/paths.ts';
import { daysToExpiry, isUnused } from '../../parts/expiry.ts';
import { tokenStart } from '../../parts/id.tsx';
import { ListPage } from '../../parts/list-page.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Name } from '../../parts/name.tsx';
import { useNames } from '../../parts/names.ts';
import type { Column } from '../../parts/table.tsx';
import { waysToCreateApiKey } from '../../parts/ways.ts';
import { useAnswer } from '../../service/answer.ts';
import { apiKeyCreators, apiKeys, containers, firewalls } from '../../service/answers.ts';
import { API_KEYS, COMMON } from '../../words.ts';
import { CreateApiKey } from './create-api-key.tsx';
import { Restrictions } from './restrictions.tsx';

export function ApiKeysPage() {
  const { value: places = [] } = useAnswer(containers.of());
  const { value: walls = [] } = useAnswer(firewalls.of());
  const names = new Map(places.map(({ id, name }) => [id, name]));
  const { value: creators = new Map<string, string>() } = useAnswer(apiKeyCreators.of());
  const people = useNames();
  const creatorOf = ({ id }: ApiKey): string => people.get(creators.get(id) ?? '')?.name ?? '';
  return (
    <ListPage
      kind={API_KEYS}
      answer={apiKeys.of()}
      columns={columnsOf(names, walls, creatorOf)}
      textOf={({ id, name, prefix }) => `${name} ${tokenStart(prefix)} ${id}`}
      ways={waysToCreateApiKey()}
      creation={(close) => <CreateApiKey onClose={close} />}
    />
  );
}

function stateOf(row: ApiKey, now: Date): string {
  const days = daysToExpiry(row, now);
  if (days !== undefined) return days === 0 ? API_KEYS.states.expired : API_KEYS.expiresIn(days);
  return isUnused(row, now) ? API_KEYS.states.unused : API_KEYS.states.active;
}

function columnsOf(
  containerNames: ReadonlyMap<string, string>,
  walls: readonly Firewall[],
  creatorOf: (row: ApiKey) => string,
): Column<ApiKey>[] {
  const { columns } = API_KEYS;
  const now = new Date();
  const containerOf = ({ container_id }: ApiKey): string => containerNames.get(container_id) ?? '';
  return [
    {
      id: 'name',
      title: columns.name,
      sort: ({ name }) => name,
      cell: ({ id, name, prefix }) => (
        <>
          <Link to={pathOfApiKey(id)}>
            <Name text={name} />
          </Link>
          <br />
          {prefix === null ? (
            <span class="small muted">{API_KEYS.noToken}</span>
          ) : (
            <code class="small muted" title={prefix}>{`${prefix.slice(0, 8)}…`}</code>
          )}
        </>
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
    { id: 'actions', title: columns.actions, cell: ({ allowed_actions }) => allowed_actions.join(', ') || COMMON.none },
    { id: 'restrictions', title: columns.restrictions, cell: (row) => <Restrictions of={row} firewalls={walls} /> },
    {
      id: 'state',
      title: columns.state,
      sort: (row) => Number(isUnused(row, now)) + (daysToExpiry(row, now) === undefined ? 0 : 2),
      cell: (row) => stateOf(row, now),
    },
    {
      id: 'created',
      title: columns.created,
      sort: ({ created_at }) => created_at.getTime(),
      cell: (row) => (
        <>
          <Moment time={row.created_at} />
          <br />
          <span class="small muted name">
            <Name text={API_KEYS.by(creatorOf(row))} />
          </span>
        </>
      ),
    },
    {
      id: 'used',
      title: columns.used,
      sort: ({ last_used_at }) => last_used_at?.getTime() ?? 0,
      cell: ({ last_used_at }) => (last_used_at === null ? COMMON.never : <Moment time={last_used_at} />),
    },
  ];
}
