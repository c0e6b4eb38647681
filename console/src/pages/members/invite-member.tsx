import { PATHS } from '../../address/paths.ts';
import { CodeBlock } from '../../parts/code-block.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField, textOf } from '../../parts/fields.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { membersChanged } from '../../service/answers.ts';
import { service } from '../../session/session.ts';
import { showOnce } from '../../session/shown-once.ts';
import { COMMON, MEMBERS } from '../../words.ts';
import { RoleField, readRole } from './role-field.tsx';

function putAway(): void {
  showOnce(undefined);
  // If the session has expired in the meantime, this request makes the console renew it.
  membersChanged();
}

/** A form that creates an invitation. Afterwards the console shows its link, once, above the current page. */
export function InviteMember({ onClose }: { readonly onClose: () => void }) {
  const invite = async (data: FormData): Promise<void> => {
    const note = textOf(data, 'note');
    const created = await service().inviteMember({ role: readRole(data), ...(note !== '' && { note }) });
    showOnce(<InvitationLink token={created.token} onClose={putAway} />);
    membersChanged();
    onClose();
  };
  return (
    <FormDialog
      title={MEMBERS.inviteTitle}
      form="invite-member"
      submit={MEMBERS.inviteSubmit}
      onSubmit={invite}
      onClose={onClose}
    >
      <RoleField value="auditor" />
      <TextField name="note" label={MEMBERS.note} hint={MEMBERS.noteHint} />
    </FormDialog>
  );
}

function InvitationLink({ token, onClose }: { readonly token: string; readonly onClose: () => void }) {
  const link = `${location.origin}${PATHS.join}#${token}`;
  return (
    <Dialog title={MEMBERS.linkTitle} onClose={onClose}>
      <p>{MEMBERS.linkText}</p>
      <dl class="snippets">
        <div>
          <dt>{MEMBERS.link}</dt>
          <dd>
            <CodeBlock wraps label={MEMBERS.link} text={link} />
            <CopyButton text={link} label={COMMON.copy} />
          </dd>
        </div>
      </dl>
      <div class="buttons">
        <button type="button" class="primary" onClick={onClose}>
          {MEMBERS.done}
        </button>
      </div>
    </Dialog>
  );
}
