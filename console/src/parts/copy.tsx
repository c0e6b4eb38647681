import { useEffect, useRef, useState } from 'preact/hooks';
import { COMMON } from '../words.ts';

interface CopyProps {
  readonly text: string;
  /** The button's text, or its accessible name if the button shows only an icon. */
  readonly label: string;
  readonly quiet?: boolean;
  readonly onRefused?: () => void;
}

/**
 * A button that copies a text. If the browser refuses to copy, it selects the text in the `code` element beside the
 * button.
 */
export function CopyButton({ text, label, quiet = false, onRefused }: CopyProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [done, setDone] = useState<'copied' | 'refused'>();
  const copied = done === 'copied';
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setDone(undefined), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setDone('copied');
    } catch {
      onRefused?.();
      setDone('refused');
      const shown = button.current?.parentElement?.querySelector('code');
      if (shown) getSelection()?.selectAllChildren(shown);
    }
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class={quiet ? 'quiet' : ''}
        aria-label={label}
        title={label}
        onClick={() => void copy()}
      >
        {quiet ? (
          <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
            {copied ? <path d="m3 8.5 3.5 3.5L13 4.5" /> : <path d="M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z" />}
          </svg>
        ) : (
          label
        )}
      </button>
      <span role="status" class={done === 'refused' ? 'beneath' : quiet ? 'unseen' : 'small'}>
        {done === undefined ? '' : done === 'copied' ? COMMON.copied : COMMON.notCopied}
      </span>
    </>
  );
}
