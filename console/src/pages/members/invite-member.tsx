import { useState } from 'preact/hooks';
import { PATHS } from '../../address/paths.ts';
import { CodeBlock } from '../../parts/code-block.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField, textOf } from '../../parts/fields.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { membersChanged } from '../../service/answers.ts';
import { service } from '../../session/session.ts';
import { COMMON, MEMBERS } from '../../words.ts';
import { RoleField, readRole } from './role-field.tsx';

/** A form that creates an invitation and then shows its link. The link cannot be shown again. */
export function InviteMember({ onClose }: { readonly onClose: () => void }) {
  const [token, setToken] = useState<string>();
  const invite = async (data: FormData): Promise<void> => {
    const note = textOf(data, 'note');
    const created = await service().inviteMember({ role: readRole(data), ...(note !== '' && { note }) });
    membersChanged();
    setToken(created.token);
  };
  if (token !== undefined) return <InvitationLink token={token} onClose={onClose} />;
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
