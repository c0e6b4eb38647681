import { useEffect, useState } from 'preact/hooks';
import { COMMON } from '../words.ts';

interface CopyProps {
  readonly text: string;
  /** What the button says, or is called where it shows only the picture. */
  readonly label: string;
  readonly quiet?: boolean;
  readonly onCopied?: () => void;
}

/** Copies a text, and says so. */
export function CopyButton({ text, label, quiet = false, onCopied }: CopyProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    onCopied?.();
  };
  return (
    <>
      <button type="button" class={quiet ? 'quiet' : ''} aria-label={label} title={label} onClick={() => void copy()}>
        {quiet ? (
          <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
            {copied ? <path d="m3 8.5 3.5 3.5L13 4.5" /> : <path d="M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z" />}
          </svg>
        ) : (
          label
        )}
      </button>
      <span role="status" class={quiet ? 'unseen' : 'small'}>
        {copied ? COMMON.copied : ''}
      </span>
    </>
  );
}
