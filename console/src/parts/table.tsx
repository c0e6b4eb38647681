import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { setQuery, useAddress } from '../address/address.ts';
import { COMMON } from '../words.ts';
import { NothingMatches } from './empty.tsx';

/** The number of rows that are shown at first, and that each click adds. A limit keeps a list of 10,000 rows fast. */
const PAGE = 100;

/** A column of a table. `cell` renders a row's value, and `sort` returns the value to sort by. */
export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly sort?: (row: Row) => string | number;
  readonly isNumber?: boolean;
}

interface TableProps<Row> {
  readonly caption: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly idOf: (row: Row) => string;
  /** Returns the text of a row in which the search looks. Without this function, the table has no search. */
  readonly textOf?: (row: Row) => string;
  readonly searchLabel?: string;
}

/** A table with search and sorting. The address contains the search text and the order. */
export function Table<Row>({ caption, rows, columns, idOf, textOf, searchLabel }: TableProps<Row>) {
  const { query } = useAddress();
  const [most, setMost] = useState(PAGE);
  const wanted = (query.get('q') ?? '').trim().toLowerCase();
  const order = query.get('sort') ?? '';
  const found =
    wanted === '' || textOf === undefined ? rows : rows.filter((row) => textOf(row).toLowerCase().includes(wanted));
  const sorted = sortRows(found, columns, order);
  const shown = sorted.slice(0, most);
  return (
    <>
      {textOf !== undefined && searchLabel !== undefined && rows.length > 0 && (
        <div class="search">
          <input
            type="search"
            aria-label={searchLabel}
            placeholder={searchLabel}
            value={query.get('q') ?? ''}
            onInput={({ currentTarget }) => setQuery({ q: currentTarget.value })}
          />
          <span class="small muted" role="status">
            {wanted === '' ? '' : COMMON.shown(found.length, rows.length)}
          </span>
        </div>
      )}
      {found.length === 0 ? (
        <NothingMatches />
      ) : (
        <table>
          <caption class="unseen">{caption}</caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <Heading key={column.id} column={column} order={order} />
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={idOf(row)}>
                {columns.map(({ id, title, cell, isNumber = false }, at) =>
                  at === 0 ? (
                    <th key={id} scope="row" data-title={title}>
                      {cell(row)}
                    </th>
                  ) : (
                    <td key={id} class={isNumber ? 'number' : ''} data-title={title}>
                      {cell(row)}
                    </td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {sorted.length > most && (
        <p class="row muted">
          {COMMON.shown(shown.length, sorted.length)}
          <button type="button" onClick={() => setMost(most + PAGE)}>
            {COMMON.more}
          </button>
        </p>
      )}
    </>
  );
}

function Heading<Row>({ column, order }: { readonly column: Column<Row>; readonly order: string }) {
  const { id, title, sort, isNumber = false } = column;
  const direction = order === id ? 'ascending' : order === `-${id}` ? 'descending' : 'none';
  if (sort === undefined) {
    return (
      <th scope="col" class={isNumber ? 'number' : ''}>
        {title}
      </th>
    );
  }
  const next = direction === 'none' ? id : direction === 'ascending' ? `-${id}` : undefined;
  return (
    <th scope="col" class={isNumber ? 'number' : ''} aria-sort={direction}>
      <button type="button" class="sort" onClick={() => setQuery({ sort: next })}>
        {title}
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
          {direction === 'ascending' && <path d="m4 10 4-4 4 4" />}
          {direction === 'descending' && <path d="m4 6 4 4 4-4" />}
        </svg>
      </button>
    </th>
  );
}

/** Returns the rows sorted by the column whose id is `order`. A leading `-` reverses the order. */
function sortRows<Row>(rows: readonly Row[], columns: readonly Column<Row>[], order: string): readonly Row[] {
  const by = columns.find(({ id }) => id === order.replace(/^-/, ''))?.sort;
  if (by === undefined) return rows;
  const sign = order.startsWith('-') ? -1 : 1;
  const compare = (a: string | number, b: string | number): number =>
    typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
  return [...rows].sort((a, b) => sign * compare(by(a), by(b)));
}
