import { useEffect, useState } from 'preact/hooks';
import { TokenDialog } from '../pages/api-keys/token-dialog.tsx';
import { Loading } from '../parts/loaded.tsx';
import { Problem } from '../parts/problem.tsx';
import { forgetAnswers } from '../service/answer.ts';
import { apiKeysChanged } from '../service/answers.ts';
import { newApiKey, onNewApiKey, showNewApiKey } from '../session/new-api-key.ts';
import { currentSession, onSession, start } from '../session/session.ts';
import { SHELL, SIGN_IN } from '../words.ts';
import { Frame } from './frame.tsx';
import { SignInPage } from './sign-in-page.tsx';

/** The console: what the session admits, and over it the token of a new API key until it is put away. */
export function App() {
  const [created, setCreated] = useState(newApiKey);
  useEffect(() => onNewApiKey(() => setCreated(newApiKey())), []);
  const putAway = (): void => {
    showNewApiKey(undefined);
    // A session that has expired meanwhile is renewed by this.
    apiKeysChanged();
  };
  return (
    <>
      <CurrentSession />
      {created !== undefined && <TokenDialog created={created} onClose={putAway} />}
    </>
  );
}

/** The page to sign in at, or the frame with the page that the address names. */
function CurrentSession() {
  const [session, setSession] = useState(currentSession);
  useEffect(
    () =>
      onSession((changed) => {
        if (changed.state === 'signed-out') forgetAnswers();
        setSession(changed);
      }),
    [],
  );
  useEffect(() => setSession(currentSession()), []);
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
      return <SignInPage why={session.why} />;
    case 'failed':
      return (
        <main class="sign-in">
          <h1>{SHELL.product}</h1>
          <Problem problem={session.problem} onRetry={() => void start()} />
        </main>
      );
    case 'signed-in':
      return <Frame me={session.me} />;
  }
}
