import { useState } from 'preact/hooks';
import type { Container } from '../../../../client/src/index.ts';
import { navigate } from '../../address/address.ts';
import { Link } from '../../address/link.tsx';
import { PATHS, pathOfApiKey, pathOfFirewall, pathOfKey } from '../../address/paths.ts';
import { Opener, useDialog } from '../../parts/do.tsx';
import { Empty } from '../../parts/empty.tsx';
import { EventList, SHORT } from '../../parts/event-list.tsx';
import { Facts } from '../../parts/facts.tsx';
import { NameField, textOf } from '../../parts/fields.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Found } from '../../parts/found.tsx';
import { Id } from '../../parts/id.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Name } from '../../parts/name.tsx';
import { Page } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { Table } from '../../parts/table.tsx';
import { useAnswer } from '../../service/answer.ts';
import { apiKeys, container, containersChanged, firewalls, keys } from '../../service/answers.ts';
import { service } from '../../session/session.ts';
import { API_KEYS, COMMON, CONTAINERS } from '../../words.ts';

export function ContainerPage({ id }: { readonly id: string }) {
  return (
    <Found
      answer={container.of(id)}
      kind={CONTAINERS}
      list={PATHS.containers}
      also={[keys.of(), apiKeys.of(), firewalls.of()]}
    >
      {(subject) => <KnownContainer subject={subject} />}
    </Found>
  );
}

interface Held {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly to: string;
}

function KnownContainer({ subject: { id, name, is_default, created_at } }: { readonly subject: Container }) {
  const { open, close } = useDialog();
  const { value: allKeys } = useAnswer(keys.of());
  const { value: allApiKeys } = useAnswer(apiKeys.of());
  const { value: walls } = useAnswer(firewalls.of());
  const isLoaded = allKeys !== undefined && allApiKeys !== undefined && walls !== undefined;
  const [changes] = useState(() => () => service().readAudit({ target_id: id, limit: SHORT }));
  const { kinds } = CONTAINERS;
  const isHere = ({ container_id }: { readonly container_id: string }): boolean => container_id === id;
  const held: readonly Held[] = [
    ...(allKeys ?? [])
      .filter(isHere)
      .map((one) => ({ id: one.id, name: one.name, kind: kinds.key, to: pathOfKey(one.id) })),
    ...(allApiKeys ?? [])
      .filter(isHere)
      .map((one) => ({ id: one.id, name: one.name, kind: kinds.apiKey, to: pathOfApiKey(one.id) })),
    ...(walls ?? [])
      .filter(isHere)
      .map((one) => ({ id: one.id, name: one.name, kind: kinds.firewall, to: pathOfFirewall(one.id) })),
  ];
  const rename = async (data: FormData): Promise<void> => {
    await service().renameContainer(id, { name: textOf(data, 'name') });
    containersChanged();
    close();
  };
  const remove = async (): Promise<void> => {
    await service().deleteContainer(id);
    navigate(PATHS.containers, { replace: true });
    containersChanged();
  };
  const actions = (
    <>
      <Opener opens="rename" text={CONTAINERS.rename} />
      {!is_default && <Opener opens="delete" text={CONTAINERS.delete} look="danger apart" />}
    </>
  );
  return (
    <Page
      title={name}
      actions={actions}
      {...(is_default && name !== CONTAINERS.isDefault && { state: <span class="muted">{CONTAINERS.isDefault}</span> })}
    >
      <Facts
        facts={[
          [API_KEYS.facts.id, <Id key="id" id={id} whole />],
          [API_KEYS.facts.created, <Moment key="created" time={created_at} />],
        ]}
      />
      <Section title={CONTAINERS.holds}>
        {held.length === 0 ? (
          isLoaded && (
            <Empty drawing={CONTAINERS.drawing}>
              <p>{CONTAINERS.nothing}</p>
            </Empty>
          )
        ) : (
          <Table
            caption={CONTAINERS.holds}
            rows={held}
            columns={[
              {
                id: 'name',
                title: CONTAINERS.columns.name,
                sort: (row) => row.name,
                cell: (row) => (
                  <Link to={row.to}>
                    <Name text={row.name} />
                  </Link>
                ),
              },
              { id: 'kind', title: CONTAINERS.kind, sort: (row) => row.kind, cell: (row) => row.kind },
            ]}
            idOf={(row) => row.id}
            textOf={(row) => row.name}
            searchLabel={CONTAINERS.search}
          />
        )}
      </Section>
      <Section title={CONTAINERS.changes}>
        <EventList read={changes} without="target" filter={`target_id=${id}`} />
      </Section>
      {open === 'rename' && (
        <FormDialog
          title={CONTAINERS.renameTitle(<Name text={name} />)}
          form={`container-${id}`}
          submit={COMMON.save}
          onSubmit={rename}
          onClose={close}
        >
          <NameField value={name} />
        </FormDialog>
      )}
      {open === 'delete' && (
        <FormDialog
          title={CONTAINERS.deleteTitle(<Name text={name} />)}
          form={`delete-container-${id}`}
          submit={CONTAINERS.delete}
          danger
          onSubmit={remove}
          onClose={close}
        >
          <p>{held.length > 0 ? CONTAINERS.notEmpty : isLoaded ? CONTAINERS.deleteText : CONTAINERS.notKnown}</p>
        </FormDialog>
      )}
    </Page>
  );
}
