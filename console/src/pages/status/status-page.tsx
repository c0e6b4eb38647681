import { useEffect, useState } from 'preact/hooks';
import { diagnose, type Finding } from '../../../../client/src/index.ts';
import { Loading } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { currentSession } from '../../session/session.ts';
import { STATUS } from '../../words.ts';

/** The findings of the client library's diagnosis, with advice. */
export function StatusPage() {
  const [findings, setFindings] = useState<readonly Finding[]>();
  const [round, setRound] = useState(0);
  useEffect(() => {
    let isShown = true;
    setFindings(undefined);
    void findOut().then((found) => isShown && setFindings(found));
    return () => {
      isShown = false;
    };
  }, [round]);
  const actions = (
    <button type="button" disabled={findings === undefined} onClick={() => setRound(round + 1)}>
      {STATUS.again}
    </button>
  );
  return (
    <Page title={STATUS.title} actions={actions}>
      <p role="status" class="muted">
        {findings === undefined ? '' : STATUS.summary(findings)}
      </p>
      {findings === undefined ? <Loading /> : <Findings of={findings} />}
    </Page>
  );
}

async function findOut(): Promise<readonly Finding[]> {
  const session = currentSession();
  if (session.state !== 'signed-in') return [];
  const { apiUrl: url, accessToken } = session;
  return diagnose({ url, accessToken: () => accessToken, source: STATUS.source });
}

function Findings({ of: findings }: { readonly of: readonly Finding[] }) {
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
