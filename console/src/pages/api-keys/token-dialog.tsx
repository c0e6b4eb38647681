import { useEffect, useState } from 'preact/hooks';
import { CodeBlock } from '../../parts/code-block.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Name } from '../../parts/name.tsx';
import { API_KEYS, COMMON } from '../../words.ts';

interface TokenDialogProps {
  readonly name: string;
  readonly token: string;
  readonly onClose: () => void;
}

/**
 * Shows the token of a new API key once. Asks for confirmation before it closes, unless the person has ticked the box
 * that says that the token is stored.
 */
export function TokenDialog({ name, token, onClose }: TokenDialogProps) {
  const [stored, setStored] = useState(false);
  const [asking, setAsking] = useState(false);
  useEffect(() => {
    if (stored) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [stored]);
  const close = (): void => {
    if (stored) onClose();
    else setAsking(true);
  };
  return (
    <Dialog title={API_KEYS.tokenTitle(<Name text={name} />)} onClose={close}>
      <p>{API_KEYS.tokenText}</p>
      <dl class="snippets">
        <div>
          <dt>{API_KEYS.tokenLabel}</dt>
          <dd>
            <CodeBlock wraps label={API_KEYS.tokenLabel} text={token} />
            <CopyButton text={token} label={COMMON.copy} />
          </dd>
        </div>
        <div>
          <dt>{API_KEYS.envLabel}</dt>
          <dd>
            <CodeBlock wraps label={API_KEYS.envLabel} text={`ESK_API_KEY='${token}'`} />
          </dd>
        </div>
      </dl>
      <label class="check">
        <input type="checkbox" checked={stored} onChange={({ currentTarget }) => setStored(currentTarget.checked)} />{' '}
        {API_KEYS.stored}
      </label>
      {asking && !stored && (
        <p class="notice" role="status">
          {API_KEYS.unstored}
        </p>
      )}
      <div class="buttons">
        <button type="button" class="primary" onClick={close}>
          {API_KEYS.done}
        </button>
        {asking && !stored && (
          <button type="button" onClick={onClose}>
            {API_KEYS.leaveAnyway}
          </button>
        )}
      </div>
    </Dialog>
  );
}
