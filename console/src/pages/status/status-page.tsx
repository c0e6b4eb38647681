import { useEffect, useState } from 'preact/hooks';
import { diagnose } from '../../../../client/src/index.ts';
import { Loading } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { currentSession, signIn } from '../../session/session.ts';
import { SIGN_IN, STATUS } from '../../words.ts';
import type { ShownFinding } from './check-without-session.ts';
import { checkWithoutSession } from './check-without-session.ts';

/** The findings of the client library's diagnosis, with advice. Without a session, the page shows fewer findings. */
export function StatusPage() {
  const isSignedIn = currentSession().state === 'signed-in';
  const [findings, setFindings] = useState<readonly ShownFinding[]>();
  const [problem, setProblem] = useState<unknown>(undefined);
  const [round, setRound] = useState(0);
  useEffect(() => {
    let isShown = true;
    setFindings(undefined);
    setProblem(undefined);
    findOut().then(
      (found) => isShown && setFindings(found),
      (error: unknown) => isShown && setProblem(error),
    );
    return () => {
      isShown = false;
    };
  }, [round]);
  const checkAgain = (): void => setRound(round + 1);
  const actions = (
    <button type="button" disabled={findings === undefined && problem === undefined} onClick={checkAgain}>
      {STATUS.again}
    </button>
  );
  return (
    <Page title={STATUS.title} actions={actions}>
      <p role="status" class="muted">
        {findings === undefined ? '' : STATUS.summary(findings)}
      </p>
      {problem !== undefined && <Problem problem={problem} request="read" onRetry={checkAgain} />}
      {findings !== undefined && <Findings of={findings} />}
      {findings === undefined && problem === undefined && <Loading />}
      {!isSignedIn && (
        <p class="row">
          <button type="button" class="primary" onClick={() => void signIn()}>
            {SIGN_IN.button}
          </button>
          {STATUS.withoutSession}
        </p>
      )}
    </Page>
  );
}

async function findOut(): Promise<readonly ShownFinding[]> {
  const session = currentSession();
  if (session.state !== 'signed-in') return checkWithoutSession();
  const { apiUrl: url, accessToken } = session;
  return diagnose({ url, accessToken: () => accessToken, source: STATUS.source });
}

function Findings({ of: findings }: { readonly of: readonly ShownFinding[] }) {
  return (
    <ul class="findings">
      {findings.map(({ check, state, found, advice }) => (
        <li key={check} class={state}>
          <h2>
            {STATUS.checks[check]} <span class="state small">{STATUS.states[state]}</span>
          </h2>
          <p>{found}</p>
          {advice !== null && <p>{advice}</p>}
        </li>
      ))}
    </ul>
  );
}
