import { useEffect, useState } from 'preact/hooks';
import type { AuditEvent } from '../../../client/src/index.ts';
import { useAnswer } from '../service/answer.ts';
import { findSealState, type SealState, sealing } from '../service/seals.ts';
import { AUDIT, COMMON } from '../words.ts';
import { Moment } from './moment.tsx';
import { Problem } from './problem.tsx';

/**
 * Shows up to which time the audit log is sealed, and warns if sealing is late. Renders nothing if the deployment does
 * not seal audit logs.
 */
export function SealedUpTo() {
  const { value, problem, ask } = useAnswer(sealing.of());
  if (problem !== undefined) {
    return (
      <p class="row small" role="alert">
        {AUDIT.sealingUnknown}
        <button type="button" class="small" onClick={() => void ask()}>
          {COMMON.tryAgain}
        </button>
      </p>
    );
  }
  if (value == null) return null;
  return (
    <>
      {value.isLate && (
        <p class="warning" role="alert">
          {AUDIT.sealingIsLate}
        </p>
      )}
      <p class="small muted">
        {value.newest === undefined ? (
          AUDIT.nothingSealed
        ) : (
          <>
            {AUDIT.sealedUpTo} <Moment time={value.newest.until} />.
          </>
        )}
      </p>
    </>
  );
}

/** Shows whether an event is in the sealed log. Renders nothing if the deployment does not seal audit logs. */
export function EventSeal({ event }: { readonly event: AuditEvent }) {
  const { value, problem: unknown } = useAnswer(sealing.of());
  const [state, setState] = useState<SealState>();
  const [problem, setProblem] = useState<unknown>(undefined);
  const find = (): void => {
    if (value == null) return;
    setProblem(undefined);
    findSealState(event, value.newest).then(setState, setProblem);
  };
  useEffect(find, [value, event]);
  if (problem !== undefined) return <Problem problem={problem} request="read" onRetry={find} />;
  if (state === undefined) return unknown === undefined ? null : <p class="small">{AUDIT.sealingUnknown}</p>;
  if (state === 'missing') {
    return (
      <p class="warning" role="alert">
        {AUDIT.notInSeal}
      </p>
    );
  }
  return <p class="small">{state === 'waits' ? AUDIT.notSealedYet : AUDIT.inSeal(state.seal.index)}</p>;
}
