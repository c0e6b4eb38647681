import type { Invitation } from '../../../../client/src/index.ts';
import { Opener, useDialog } from '../../parts/do.tsx';
import { Empty } from '../../parts/empty.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Name } from '../../parts/name.tsx';
import { type Named, useNames } from '../../parts/names.ts';
import { type Column, Table } from '../../parts/table.tsx';
import { membersChanged } from '../../service/answers.ts';
import { may } from '../../session/role.ts';
import { service } from '../../session/session.ts';
import { MEMBERS } from '../../words.ts';

/** A table of the invitations that can still be accepted. */
export function InvitationList({ of: all }: { readonly of: readonly Invitation[] }) {
  const names = useNames();
  const { open, about, close } = useDialog();
  if (all.length === 0) {
    return (
      <Empty drawing="members">
        <p>{MEMBERS.noInvitations}</p>
      </Empty>
    );
  }
  const revoked = all.find(({ id }) => id === about);
  return (
    <>
      <Table caption={MEMBERS.invitations} rows={all} columns={columnsOf(names)} idOf={({ id }) => id} />
      {open === 'revoke-invitation' && revoked !== undefined && <RevokeInvitation of={revoked} onClose={close} />}
    </>
  );
}

function columnsOf(names: ReadonlyMap<string, Named>): Column<Invitation>[] {
  const { invitationColumns: columns } = MEMBERS;
  const actions: Column<Invitation> = {
    id: 'actions',
    title: columns.actions,
    cell: ({ id, note, role }) => (
      <Opener
        opens="revoke-invitation"
        text={MEMBERS.revoke}
        look="small"
        about={{ id, name: note ?? MEMBERS.invitationAs(role) }}
      />
    ),
  };
  return [
    { id: 'role', title: columns.role, cell: ({ role }) => role },
    {
      id: 'note',
      title: columns.note,
      cell: ({ note }) =>
        note !== null && (
          <span class="name">
            <Name text={note} />
          </span>
        ),
    },
    {
      id: 'by',
      title: columns.by,
      cell: ({ created_by }) => (
        <span class="name">
          <Name text={names.get(created_by)?.name ?? ''} />
        </span>
      ),
    },
    { id: 'expires', title: columns.expires, cell: ({ expires_at }) => <Moment time={expires_at} /> },
    ...(may('revoke-invitation') ? [actions] : []),
  ];
}

function RevokeInvitation({ of: { id }, onClose }: { readonly of: Invitation; readonly onClose: () => void }) {
  const revoke = async (): Promise<void> => {
    await service().revokeInvitation(id);
    membersChanged();
    onClose();
  };
  return (
    <FormDialog
      title={MEMBERS.revokeTitle}
      form={`revoke-invitation-${id}`}
      submit={MEMBERS.revoke}
      danger
      onSubmit={revoke}
      onClose={onClose}
    >
      <p>{MEMBERS.revokeText}</p>
    </FormDialog>
  );
}
