import { mayWorkLater } from '../service/refusal.ts';
import { isSessionEnd, signIn } from '../session/session.ts';
import { COMMON, SIGN_IN } from '../words.ts';
import { explain } from './explain.ts';

interface ProblemProps {
  readonly problem: unknown;
  /**
   * Whether the failed request was a read. Then nothing can have changed, so the person does not need to check
   * anything.
   */
  readonly isReading?: boolean;
  readonly onRetry: () => void;
}

/** Shows an error, advice and the request id. Offers a retry only if a retry can help. */
export function Problem({ problem, isReading = false, onRetry }: ProblemProps) {
  const { happened, advice, detail, requestId } = explain(problem, isReading);
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
        {requestId !== undefined && (
          <span class="small muted">
            {COMMON.requestId} <code>{requestId}</code>
          </span>
        )}
      </p>
    </div>
  );
}
