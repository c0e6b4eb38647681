import { mayWorkLater } from '../service/refusal.ts';
import { helpFor } from '../session/config.ts';
import { isSessionEnd, signIn } from '../session/session.ts';
import { COMMON, SIGN_IN } from '../words.ts';
import { explain, type FailedRequest } from './explain.ts';

interface ProblemProps {
  readonly problem: unknown;
  readonly request?: FailedRequest;
  readonly onRetry: () => void;
}

/** Shows an error, advice and the request id. Offers a retry only if a retry can help. */
export function Problem({ problem, request = 'change', onRetry }: ProblemProps) {
  const { happened, advice, detail, requestId, code } = explain(problem, request);
  return (
    <div role="alert" class="problem">
      <p>
        <strong>{happened}</strong> {advice}
      </p>
      {detail !== undefined && <p class="detail">{detail}</p>}
      <p class="row">
        {mayWorkLater(problem) && (
          <button type="button" onClick={onRetry}>
            {COMMON.tryAgain}
          </button>
        )}
        {isSessionEnd(problem) && (
          <button type="button" onClick={() => void signIn()}>
            {SIGN_IN.button}
          </button>
        )}
        {code !== undefined && (
          <a class="small" href={helpFor(code)} target="_blank" rel="noreferrer">
            {COMMON.aboutError}
          </a>
        )}
        {requestId !== undefined && (
          <span class="small muted">
            {COMMON.requestId} <code>{requestId}</code>
          </span>
        )}
      </p>
    </div>
  );
}
