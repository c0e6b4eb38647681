import type { Member } from '../../../../client/src/index.ts';
import { Opener } from '../../parts/do.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Name } from '../../parts/name.tsx';
import { personName } from '../../parts/names.ts';
import { type Column, Table } from '../../parts/table.tsx';
import { may } from '../../session/role.ts';
import { MEMBERS } from '../../words.ts';

interface MemberListProps {
  readonly of: readonly Member[];
  /** The user id of the signed-in person. */
  readonly ownId: string;
}

export function MemberList({ of: all, ownId }: MemberListProps) {
  return (
    <Table
      caption={MEMBERS.people}
      rows={all}
      columns={columnsOf(ownId)}
      idOf={({ user_id }) => user_id}
      textOf={({ name, email }) => `${name ?? ''} ${email ?? ''}`}
      searchLabel={MEMBERS.search}
    />
  );
}

function columnsOf(ownId: string): Column<Member>[] {
  const { columns } = MEMBERS;
  return [
    {
      id: 'name',
      title: columns.name,
      sort: personName,
      cell: (member) => (
        <>
          <span title={member.user_id}>{personName(member)}</span>
          {member.user_id === ownId && <span class="muted small"> {MEMBERS.you}</span>}
        </>
      ),
    },
    {
      id: 'email',
      title: columns.email,
      sort: ({ email }) => email ?? '',
      cell: ({ email }) =>
        email !== null && (
          <span class="name">
            <Name text={email} />
          </span>
        ),
    },
    { id: 'role', title: columns.role, sort: ({ role }) => role, cell: ({ role }) => role },
    {
      id: 'joined',
      title: columns.joined,
      sort: ({ joined_at }) => joined_at.getTime(),
      cell: ({ joined_at }) => <Moment time={joined_at} />,
    },
    {
      id: 'actions',
      title: columns.actions,
      cell: (member) =>
        (may('remove') || member.user_id === ownId) && <MemberActions of={member} isOwn={member.user_id === ownId} />,
    },
  ];
}

function MemberActions({ of: member, isOwn }: { readonly of: Member; readonly isOwn: boolean }) {
  const about = { id: member.user_id, name: personName(member) };
  return (
    <span class="row">
      <Opener opens="change-role" text={MEMBERS.changeRole} about={about} look="small" />
      {isOwn ? (
        <Opener opens="leave" text={MEMBERS.leave} look="small" />
      ) : (
        <Opener opens="remove" text={MEMBERS.remove} about={about} look="small" />
      )}
    </span>
  );
}
