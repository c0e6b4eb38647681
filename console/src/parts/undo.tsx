import { useState } from 'preact/hooks';
import type { Key } from '../../../client/src/index.ts';
import { keysChanged } from '../service/answers.ts';
import { may } from '../session/role.ts';
import { service } from '../session/session.ts';
import { KEYS } from '../words.ts';
import { Problem } from './problem.tsx';

interface UndoProps {
  readonly of: Key;
  /** Whether the button is in a list of keys. Then it is small and tells screen readers the name of its key. */
  readonly inList?: boolean;
}

/** A button that cancels the deletion of a key. It asks for no confirmation, because nothing can be lost. */
export function RestoreButton(props: UndoProps) {
  return <UndoButton {...props} action="restore" undo={(id) => service().restoreKey(id)} />;
}

/** A button that thaws a key. It asks for no confirmation, because the key can be frozen again. */
export function ThawButton(props: UndoProps) {
  return <UndoButton {...props} action="thaw" undo={(id) => service().thawKey(id)} />;
}

interface UndoButtonProps extends UndoProps {
  readonly action: 'restore' | 'thaw';
  readonly undo: (id: string) => Promise<Key>;
}

function UndoButton({ of: { id, name }, inList = false, action, undo }: UndoButtonProps) {
  const [problem, setProblem] = useState<unknown>(undefined);
  const run = async (): Promise<void> => {
    setProblem(undefined);
    try {
      await undo(id);
    } catch (error) {
      setProblem(error);
    }
    keysChanged();
  };
  if (!may(action)) return null;
  return (
    <>
      <button
        type="button"
        class={inList ? 'small' : 'primary'}
        {...(inList && { 'aria-label': `${KEYS[action]} ${name}` })}
        onClick={() => void run()}
      >
        {KEYS[action]}
      </button>
      {problem !== undefined && <Problem problem={problem} onRetry={() => void run()} />}
    </>
  );
}
