import { useState } from 'preact/hooks';
import { COMMON } from '../words.ts';
import { CopyButton } from './copy.tsx';

interface IdProps {
  readonly id: string;
  readonly whole?: boolean;
}

/** Returns an id with its middle replaced by an ellipsis if it has more than 13 characters. */
export const shortened = (id: string): string => (id.length <= 13 ? id : `${id.slice(0, 6)}…${id.slice(-4)}`);

/** Returns the beginning of the token of the API key with this prefix, or no text without a token. It is not secret. */
export const tokenStart = (prefix: string | null): string => (prefix === null ? '' : `esk_${prefix}_`);

/** A shortened id with a button that copies the whole id. */
export function Id({ id, whole = false }: IdProps) {
  const [isWhole, setWhole] = useState(whole);
  return (
    <span class={isWhole ? 'id whole' : 'id'}>
      <code title={id}>{isWhole ? id : shortened(id)}</code>
      <CopyButton quiet text={id} label={`${COMMON.copy} ${id}`} onRefused={() => setWhole(true)} />
    </span>
  );
}
