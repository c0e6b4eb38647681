import type { Container } from '../../../../client/src/index.ts';
import { Link } from '../../address/link.tsx';
import { pathOfContainer } from '../../address/paths.ts';
import { useDialog } from '../../parts/do.ts';
import { NameField, textOf } from '../../parts/fields.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { useAnswer } from '../../service/answer.ts';
import { apiKeys, containers, firewalls, keys } from '../../service/answers.ts';
import { service } from '../../session/session.ts';
import { COMMON, CONTAINERS, count } from '../../words.ts';

interface Placed {
  readonly container_id: string;
}

/** All containers of the tenant, with how much is in them. */
export function ContainersPage() {
  const { open, show, close } = useDialog();
  const { value: allKeys } = useAnswer(keys.of());
  const { value: allApiKeys } = useAnswer(apiKeys.of());
  const { value: walls } = useAnswer(firewalls.of());
  const { columns } = CONTAINERS;
  const numbers = (id: string, title: string, all: readonly Placed[] | undefined): Column<Container> => {
    const inside = (container: Container): number =>
      all?.filter(({ container_id }) => container_id === container.id).length ?? 0;
    return { id, title, isNumber: true, sort: inside, cell: (row) => (all === undefined ? '' : count(inside(row))) };
  };
  const create = async (data: FormData): Promise<void> => {
    await service().createContainer({ name: textOf(data, 'name') });
    containers.refresh();
    close();
  };
  const button = (
    <button type="button" class="primary" onClick={() => show('create')}>
      {CONTAINERS.create}
    </button>
  );
  return (
    <Page title={CONTAINERS.title} actions={button}>
      <p class="muted">{CONTAINERS.why}</p>
      <Loaded answer={containers.of()}>
        {(all) => (
          <Table
            caption={CONTAINERS.title}
            rows={all}
            columns={[
              {
                id: 'name',
                title: columns.name,
                sort: ({ name }) => name,
                cell: ({ id, name, is_default }) => (
                  <>
                    <Link to={pathOfContainer(id)}>{name}</Link>
                    {is_default && name !== CONTAINERS.isDefault && (
                      <span class="muted small"> {CONTAINERS.isDefault}</span>
                    )}
                  </>
                ),
              },
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
            idOf={({ id }) => id}
            textOf={({ name }) => name}
            searchLabel={CONTAINERS.search}
          />
        )}
      </Loaded>
      {open === 'create' && (
        <FormDialog
          title={CONTAINERS.createTitle}
          form="create-container"
          submit={COMMON.create}
          onSubmit={create}
          onClose={close}
        >
          <NameField />
        </FormDialog>
      )}
    </Page>
  );
}
