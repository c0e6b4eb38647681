import { useState } from 'preact/hooks';
import type { Key } from '../../../client/src/index.ts';
import { keysChanged } from '../service/answers.ts';
import { may } from '../session/role.ts';
import { service } from '../session/session.ts';
import { KEYS } from '../words.ts';
import { Problem } from './problem.tsx';

interface RestoreProps {
  readonly of: Key;
  /** Among other keys: small, and it says to a screen reader which key. */
  readonly inList?: boolean;
}

/** Takes the deletion of a key back, at once: nothing is lost by it. */
export function RestoreButton({ of: { id, name }, inList = false }: RestoreProps) {
  const [problem, setProblem] = useState<unknown>(undefined);
  const restore = async (): Promise<void> => {
    setProblem(undefined);
    try {
      await service().restoreKey(id);
    } catch (error) {
      setProblem(error);
    }
    keysChanged();
  };
  if (!may('restore')) return null;
  return (
    <>
      <button
        type="button"
        class={inList ? 'small' : 'primary'}
        {...(inList && { 'aria-label': `${KEYS.restore} ${name}` })}
        onClick={() => void restore()}
      >
        {KEYS.restore}
      </button>
      {problem !== undefined && <Problem problem={problem} onRetry={() => void restore()} />}
    </>
  );
}
