import { useState } from 'preact/hooks';
import type { Key } from '../../../client/src/index.ts';
import { keysChanged } from '../service/answers.ts';
import { may } from '../session/role.ts';
import { service } from '../session/session.ts';
import { KEYS } from '../words.ts';
import { Problem } from './problem.tsx';

interface RestoreProps {
  readonly of: Key;
  /** Whether the button is in a list of keys. Then it is small and tells screen readers the name of its key. */
  readonly inList?: boolean;
}

/** A button that cancels the deletion of a key. It asks for no confirmation, because nothing can be lost. */
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
