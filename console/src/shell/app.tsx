import { useEffect, useState } from 'preact/hooks';
import { useAddress } from '../address/address.ts';
import { Link } from '../address/link.tsx';
import { PATHS } from '../address/paths.ts';
import { JoinPage } from '../pages/join/join-page.tsx';
import { StatusPage } from '../pages/status/status-page.tsx';
import { Mark } from '../parts/drawings.tsx';
import { Loading } from '../parts/loaded.tsx';
import { Problem } from '../parts/problem.tsx';
import { forgetAnswers } from '../service/answer.ts';
import { currentSession, onSession, type Session, start } from '../session/session.ts';
import { onShownOnce, shownOnce } from '../session/shown-once.ts';
import { SHELL, SIGN_IN, STATUS } from '../words.ts';
import { Frame } from './frame.tsx';
import { SignInPage } from './sign-in-page.tsx';

/** The root of the console. It shows a new secret above every page until the person closes it. */
export function App() {
  const [shown, setShown] = useState(shownOnce);
  useEffect(() => onShownOnce(() => setShown(shownOnce())), []);
  return (
    <>
      <CurrentSession />
      {shown}
    </>
  );
}

const tenantOf = (session: Session): string | undefined =>
  session.state === 'signed-in' ? session.me.tenant.id : undefined;

function CurrentSession() {
  const [session, setSession] = useState(currentSession);
  const { path, fragment } = useAddress();
  useEffect(
    () =>
      onSession((changed, before) => {
        if (changed.state === 'signed-out' || tenantOf(changed) !== tenantOf(before)) forgetAnswers();
        setSession(changed);
      }),
    [],
  );
  useEffect(() => setSession(currentSession()), []);
  if ((session.state === 'signed-out' || session.state === 'failed') && path === PATHS.status) {
    return (
      <main id="page" class="sign-in">
        <Mark />
        <StatusPage />
      </main>
    );
  }
  switch (session.state) {
    case 'starting':
      return <Loading />;
    case 'leaving':
      return (
        <main class="sign-in">
          <p class="loading muted" role="status">
            {SIGN_IN.leaving}
          </p>
        </main>
      );
    case 'signed-out':
      return <SignInPage why={session.why} isInvited={path === PATHS.join} />;
    case 'failed':
      return (
        <main class="sign-in">
          <Mark />
          <h1>{SHELL.product}</h1>
          <Problem problem={session.problem} request="read" onRetry={() => void start()} />
          <p class="row">
            <Link to={PATHS.status}>{STATUS.see}</Link>
          </p>
        </main>
      );
    case 'signed-in':
      if (path === PATHS.join) {
        return (
          <main id="page" class="sign-in">
            <Mark />
            <JoinPage key={fragment} me={session.me} token={fragment} />
          </main>
        );
      }
      return <Frame key={session.me.tenant.id} me={session.me} removedFrom={session.removedFrom} />;
  }
}
