import type { ComponentChildren } from 'preact';
import type { Answer } from '../service/answer.ts';
import { may } from '../session/role.ts';
import { COMMON } from '../words.ts';
import { Opener, useDialog } from './do.tsx';
import type { DrawingName } from './drawings.tsx';
import { Empty } from './empty.tsx';
import { Loaded } from './loaded.tsx';
import { Page } from './page.tsx';
import { type Line, Snippets } from './snippet.tsx';
import { type Column, Table } from './table.tsx';

interface ListPageProps<Row> {
  /** The console's texts about one kind of item. */
  readonly kind: {
    readonly title: string;
    readonly create: string;
    readonly search: string;
    /** A text that explains what these items are for. */
    readonly why?: string;
    /** The text for an empty list. */
    readonly empty?: string;
    /** The picture for an empty list. */
    readonly drawing: DrawingName;
  };
  readonly answer: Answer<Row[]>;
  readonly columns: readonly Column<Row>[];
  /** Returns the text of a row in which the search looks. */
  readonly textOf: (row: Row) => string;
  /** Commands and code that create an item. The page shows them when the list is empty. */
  readonly ways?: readonly Line[];
  /** Renders the dialog in which the person creates an item. */
  readonly creation: (close: () => void) => ComponentChildren;
}

/** A page that lists all items of one kind and can create one. */
export function ListPage<Row extends { readonly id: string }>(props: ListPageProps<Row>) {
  const { kind, answer, columns, textOf, ways = [], creation } = props;
  const { open, close } = useDialog();
  return (
    <Page title={kind.title} actions={<Opener opens="create" text={kind.create} look="primary" />}>
      {kind.why !== undefined && <p class="muted">{kind.why}</p>}
      <Loaded answer={answer}>
        {(all) =>
          all.length === 0 ? (
            <Empty drawing={kind.drawing}>
              <p>
                {kind.empty} {may('create') && COMMON.createOne}
              </p>
              {may('create') && <Snippets lines={ways} />}
            </Empty>
          ) : (
            <Table
              caption={kind.title}
              rows={all}
              columns={columns}
              idOf={({ id }) => id}
              textOf={textOf}
              searchLabel={kind.search}
            />
          )
        }
      </Loaded>
      {open === 'create' && creation(close)}
    </Page>
  );
}
