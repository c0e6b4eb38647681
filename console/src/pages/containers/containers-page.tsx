import type { Container } from '../../../../client/src/index.ts';
import { Link } from '../../address/link.tsx';
import { pathOfContainer } from '../../address/paths.ts';
import { NameField, textOf } from '../../parts/fields.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { ListPage } from '../../parts/list-page.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Name } from '../../parts/name.tsx';
import type { Column } from '../../parts/table.tsx';
import { useAnswer } from '../../service/answer.ts';
import { apiKeys, containers, containersChanged, firewalls, keys } from '../../service/answers.ts';
import { service } from '../../session/session.ts';
import { COMMON, CONTAINERS, count } from '../../words.ts';

interface Placed {
  readonly container_id: string;
}

export function ContainersPage() {
  const { value: allKeys } = useAnswer(keys.of());
  const { value: allApiKeys } = useAnswer(apiKeys.of());
  const { value: walls } = useAnswer(firewalls.of());
  const { columns } = CONTAINERS;
  return (
    <ListPage
      kind={CONTAINERS}
      answer={containers.of()}
      columns={[
        { id: 'name', title: columns.name, sort: ({ name }) => name, cell: (row) => <ContainerName of={row} /> },
        numbers('keys', columns.keys, allKeys),
        numbers('api-keys', columns.apiKeys, allApiKeys),
        numbers('firewalls', columns.firewalls, walls),
        {
          id: 'created',
          title: columns.created,
          sort: ({ created_at }) => created_at.getTime(),
          cell: ({ created_at }) => <Moment time={created_at} />,
        },
      ]}
      textOf={({ name }) => name}
      creation={(close) => <CreateContainer onClose={close} />}
    />
  );
}

function ContainerName({ of: { id, name, is_default } }: { readonly of: Container }) {
  return (
    <>
      <Link to={pathOfContainer(id)}>
        <Name text={name} />
      </Link>
      {is_default && name !== CONTAINERS.isDefault && <span class="muted small"> {CONTAINERS.isDefault}</span>}
    </>
  );
}

/** Returns a column with the number of items in each container. The column is empty until the items are loaded. */
function numbers(id: string, title: string, all: readonly Placed[] | undefined): Column<Container> {
  const inside = (container: Container): number =>
    all?.filter(({ container_id }) => container_id === container.id).length ?? 0;
  return { id, title, isNumber: true, sort: inside, cell: (row) => (all === undefined ? '' : count(inside(row))) };
}

function CreateContainer({ onClose }: { readonly onClose: () => void }) {
  const create = async (data: FormData): Promise<void> => {
    await service().createContainer({ name: textOf(data, 'name') });
    containersChanged();
    onClose();
  };
  return (
    <FormDialog
      title={CONTAINERS.createTitle}
      form="create-container"
      submit={COMMON.create}
      onSubmit={create}
      onClose={onClose}
    >
      <NameField />
    </FormDialog>
  );
}
