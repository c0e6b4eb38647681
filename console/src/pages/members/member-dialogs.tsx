import { useEffect } from 'preact/hooks';
import type { Member } from '../../../../client/src/index.ts';
import { Link } from '../../address/link.tsx';
import { pathOfApiKey } from '../../address/paths.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Name } from '../../parts/name.tsx';
import { personName } from '../../parts/names.ts';
import { useAnswer } from '../../service/answer.ts';
import { apiKeys, createdApiKeys, members, membersChanged } from '../../service/answers.ts';
import { service } from '../../session/session.ts';
import { API_KEYS, COMMON, MEMBERS } from '../../words.ts';
import { RoleField, readRole } from './role-field.tsx';

interface MemberDialogProps {
  readonly name: string | undefined;
  /** The user id of the member. */
  readonly id: string | undefined;
  readonly onClose: () => void;
}

/**
 * Renders the dialog with this name, about the member with this id. Renders nothing if there is no such dialog or
 * member.
 */
export function MemberDialog({ name, id, onClose }: MemberDialogProps) {
  const { value: all = [] } = useAnswer(members.of());
  const member = all.find(({ user_id }) => user_id === id);
  if (member === undefined) return null;
  if (name === 'change-role') return <ChangeRole of={member} onClose={onClose} />;
  if (name === 'remove') return <RemoveMember of={member} onClose={onClose} />;
  return null;
}

interface OneMemberProps {
  readonly of: Member;
  readonly onClose: () => void;
}

function ChangeRole({ of: member, onClose }: OneMemberProps) {
  const save = async (data: FormData): Promise<void> => {
    await service().changeRole(member.user_id, readRole(data));
    membersChanged();
    onClose();
  };
  return (
    <FormDialog
      title={MEMBERS.changeRoleTitle(<Name text={personName(member)} />)}
      form={`role-${member.user_id}-${member.role}`}
      submit={COMMON.save}
      onSubmit={save}
      onClose={onClose}
    >
      <RoleField value={member.role} />
    </FormDialog>
  );
}

function RemoveMember({ of: member, onClose }: OneMemberProps) {
  const lists = [apiKeys.of(), createdApiKeys.of(member.user_id)] as const;
  // Load the lists again: the member may have created API keys since the dialog was last open.
  useEffect(() => lists.forEach(({ ask }) => void ask()), lists);
  const remove = async (): Promise<void> => {
    await service().removeMember(member.user_id);
    membersChanged();
    onClose();
  };
  return (
    <FormDialog
      title={MEMBERS.removeTitle(<Name text={personName(member)} />)}
      form={`remove-${member.user_id}`}
      submit={MEMBERS.remove}
      danger
      lists={lists}
      onSubmit={remove}
      onClose={onClose}
    >
      <p>{MEMBERS.removeText}</p>
      <LeftApiKeys of={member.user_id} />
    </FormDialog>
  );
}

/**
 * A list of the API keys that a person created. These API keys keep working after the person is removed from the
 * tenant.
 */
function LeftApiKeys({ of: userId }: { readonly of: string }) {
  const { value: created = [] } = useAnswer(createdApiKeys.of(userId));
  const { value: live = [] } = useAnswer(apiKeys.of());
  const left = live.filter(({ id }) => created.includes(id));
  if (left.length === 0) return <p>{MEMBERS.noKeys}</p>;
  return (
    <>
      <p>{MEMBERS.keysGoOn}</p>
      <ul class="plain">
        {left.map(({ id, name, allowed_actions }) => (
          <li key={id}>
            <Link to={pathOfApiKey(id)}>
              <Name text={name} />
            </Link>{' '}
            <span class="muted">{allowed_actions.join(', ') || API_KEYS.nothing}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
