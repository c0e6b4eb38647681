import type { DailyUsageLine, Key, UsageLine } from '../../../../client/src/index.ts';
import { Link } from '../../address/link.tsx';
import { pathOfKey } from '../../address/paths.ts';
import { ListPage } from '../../parts/list-page.tsx';
import { Meter } from '../../parts/meter.tsx';
import { Name } from '../../parts/name.tsx';
import { KeyState } from '../../parts/state.tsx';
import type { Column } from '../../parts/table.tsx';
import { waysToCreateKey } from '../../parts/ways.ts';
import { useAnswer } from '../../service/answer.ts';
import { containers, dailyUsage, keys, usage } from '../../service/answers.ts';
import { KEYS, shortDay } from '../../words.ts';
import { CreateKey } from './create-key.tsx';

export function KeysPage() {
  const { value: used = [] } = useAnswer(usage.of(undefined));
  const { value: daily } = useAnswer(dailyUsage.of(undefined, undefined));
  const { value: places = [] } = useAnswer(containers.of());
  const lines = new Map(used.map((line) => [line.key_id, line]));
  const names = new Map(places.map(({ id, name }) => [id, name]));
  return (
    <ListPage
      kind={KEYS}
      answer={keys.of()}
      columns={[...columnsOf(lines, names), lastUsed(daily)]}
      textOf={({ id, name }) => `${name} ${id}`}
      ways={waysToCreateKey()}
      creation={(close) => <CreateKey onClose={close} />}
    />
  );
}

/** Returns the number of versions that can still decrypt. */
function enabledVersions({ versions }: Key): number {
  return versions.filter(({ state }) => state === 'enabled').length;
}

function columnsOf(lines: ReadonlyMap<string, UsageLine>, containerNames: ReadonlyMap<string, string>): Column<Key>[] {
  const { columns } = KEYS;
  const containerOf = ({ container_id }: Key): string => containerNames.get(container_id) ?? '';
  return [
    {
      id: 'name',
      title: columns.name,
      sort: ({ name }) => name,
      cell: ({ id, name }) => (
        <Link to={pathOfKey(id)}>
          <Name text={name} />
        </Link>
      ),
    },
    { id: 'tier', title: columns.tier, sort: ({ tier }) => tier, cell: ({ tier }) => tier },
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
      id: 'state',
      title: columns.state,
      sort: ({ state, frozen_at }) => (frozen_at === null ? state : `${state} frozen`),
      cell: (row) => <KeyState of={row} />,
    },
    {
      id: 'versions',
      title: columns.versions,
      isNumber: true,
      sort: enabledVersions,
      cell: enabledVersions,
    },
    {
      id: 'ops',
      title: columns.ops,
      isNumber: true,
      sort: ({ id }) => lines.get(id)?.ops ?? 0,
      cell: ({ id }) => {
        const line = lines.get(id);
        if (line === undefined) return '';
        return (
          <>
            <span class="figure">{KEYS.opsOf(line.ops, line.allowance)}</span>{' '}
            <Meter part={line.ops} whole={line.allowance} />
          </>
        );
      },
    },
  ];
}

/** Returns a column with the last day of the month on which each key was used. */
function lastUsed(daily: readonly DailyUsageLine[] | undefined): Column<Key> {
  // The lines are in the order of their days, so the last line of a key wins.
  const days = new Map(daily?.map(({ key_id, day }) => [key_id, day]));
  const dayOf = ({ id }: Key): string => days.get(id) ?? '';
  return {
    id: 'used',
    title: KEYS.columns.used,
    sort: dayOf,
    cell: (row) => {
      const day = dayOf(row);
      if (day !== '') return <time dateTime={day}>{shortDay(day)}</time>;
      return daily === undefined ? '' : <span class="muted">{KEYS.notThisMonth}</span>;
    },
  };
}
