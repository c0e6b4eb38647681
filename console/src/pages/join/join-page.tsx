import { useState } from 'preact/hooks';
import { EncryptionServiceError, type InvitationPreview, type Me } from '../../../../client/src/index.ts';
import { navigate } from '../../address/address.ts';
import { Link } from '../../address/link.tsx';
import { PATHS } from '../../address/paths.ts';
import { Failure, Loading } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Name } from '../../parts/name.tsx';
import { personName } from '../../parts/names.ts';
import { Page } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useAnswer } from '../../service/answer.ts';
import { invitation } from '../../service/answers.ts';
import { noteRefusal, service, showMe } from '../../session/session.ts';
import { JOIN, NAV, ROLES } from '../../words.ts';

interface JoinPageProps {
  readonly me: Me;
  /** The invitation's token: the part of the link after `#`. */
  readonly token: string;
}

/** Shows an invitation. The person must click a button to accept it, because mail scanners also open links. */
export function JoinPage({ me, token }: JoinPageProps) {
  const { value, problem } = useAnswer(invitation.of(token));
  if (problem instanceof EncryptionServiceError && problem.code === 'not_found') {
    return (
      <Page title={JOIN.gone}>
        <p>
          {JOIN.goneText} <Link to={PATHS.overview}>{NAV.overview}</Link>
        </p>
      </Page>
    );
  }
  if (value !== undefined) return <KnownInvitation of={value} me={me} token={token} />;
  return (
    <Page title={JOIN.title(null)}>
      {problem === undefined ? <Loading /> : <Failure of={[invitation.of(token)]} />}
    </Page>
  );
}

function KnownInvitation({ of, me, token }: JoinPageProps & { readonly of: InvitationPreview }) {
  const { tenant_name, role, note, invited_by, expires_at } = of;
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>(undefined);
  const join = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setProblem(undefined);
    try {
      const joined = await service().acceptInvitation(token);
      showMe(joined);
      navigate(PATHS.overview, { replace: true });
    } catch (error) {
      noteRefusal(error);
      setProblem(error);
      setBusy(false);
    }
  };
  return (
    <Page title={JOIN.title(tenant_name)}>
      <p>
        {JOIN.invited(
          <Name text={invited_by.name ?? invited_by.email ?? JOIN.anyone} />,
          <Name text={tenant_name ?? JOIN.theirTenant} />,
          role,
        )}{' '}
        {ROLES.texts[role]}
      </p>
      {note !== null && (
        <p>
          {JOIN.note} <Name text={note} />
        </p>
      )}
      <p>
        {JOIN.expires} <Moment time={expires_at} />.
      </p>
      <p>
        {JOIN.signedInAs(personName({ user_id: me.user.id, ...me.user }))} {JOIN.ownTenant}
      </p>
      {problem !== undefined && <Problem problem={problem} onRetry={() => void join()} />}
      <p class="row">
        <button type="button" class="primary" disabled={isBusy} onClick={() => void join()}>
          {JOIN.join}
        </button>
        <Link to={PATHS.overview}>{JOIN.notNow}</Link>
      </p>
    </Page>
  );
}
