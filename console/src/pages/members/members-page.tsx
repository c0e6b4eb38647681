import type { Me } from '../../../../client/src/index.ts';
import { Opener, useDialog } from '../../parts/do.tsx';
import { Facts } from '../../parts/facts.tsx';
import { NameField, textOf } from '../../parts/fields.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Failure, Known } from '../../parts/loaded.tsx';
import { Name } from '../../parts/name.tsx';
import { Page } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { invitations, members } from '../../service/answers.ts';
import { currentSession, service, showMe } from '../../session/session.ts';
import { COMMON, MEMBERS, ROLES, SHELL } from '../../words.ts';
import { InvitationList } from './invitation-list.tsx';
import { InviteMember } from './invite-member.tsx';
import { LeaveTenant } from './leave-tenant.tsx';
import { MemberDialog } from './member-dialogs.tsx';
import { MemberList } from './member-list.tsx';

export function MembersPage() {
  const session = currentSession();
  return session.state === 'signed-in' ? <KnownMembers me={session.me} /> : null;
}

function KnownMembers({ me }: { readonly me: Me }) {
  const { open, about, close } = useDialog();
  const { tenant, role } = me;
  return (
    <Page title={MEMBERS.title} actions={<Opener opens="invite" text={MEMBERS.invite} look="primary" />}>
      <Failure of={[members.of(), invitations.of()]} />
      <Facts
        facts={[
          [
            MEMBERS.tenant,
            <span key="tenant" class="row">
              <Name text={tenant.name ?? SHELL.unnamedTenant} />{' '}
              <Opener opens="rename" text={MEMBERS.rename} look="small" />
            </span>,
          ],
          [MEMBERS.yourRole, `${role}: ${ROLES.texts[role]}`],
        ]}
      />
      <Section title={MEMBERS.people}>
        <Known answer={members.of()}>{(all) => <MemberList of={all} ownId={me.user.id} />}</Known>
      </Section>
      <Section title={MEMBERS.invitations}>
        <Known answer={invitations.of()}>{(all) => <InvitationList of={all} />}</Known>
      </Section>
      {open === 'invite' && <InviteMember onClose={close} />}
      {open === 'rename' && <RenameTenant of={me} onClose={close} />}
      {open === 'leave' && <LeaveTenant me={me} onClose={close} />}
      <MemberDialog name={open} id={about} onClose={close} />
    </Page>
  );
}

function RenameTenant({ of: me, onClose }: { readonly of: Me; readonly onClose: () => void }) {
  const rename = async (data: FormData): Promise<void> => {
    const { name } = await service().renameTenant(textOf(data, 'name'));
    showMe({ ...me, tenant: { ...me.tenant, name } });
    onClose();
  };
  return (
    <FormDialog
      title={MEMBERS.renameTitle}
      form="rename-tenant"
      submit={COMMON.save}
      onSubmit={rename}
      onClose={onClose}
    >
      <NameField value={me.tenant.name ?? ''} />
    </FormDialog>
  );
}
