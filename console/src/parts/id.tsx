import { useState } from 'preact/hooks';
import { COMMON } from '../words.ts';
import { CopyButton } from './copy.tsx';

interface IdProps {
  readonly id: string;
  readonly whole?: boolean;
}

/** An id with its middle left out. */
export const shortened = (id: string): string => (id.length <= 13 ? id : `${id.slice(0, 6)}…${id.slice(-4)}`);

/** An id, shortened in the middle, with a button that copies it whole. */
export function Id({ id, whole = false }: IdProps) {
  const [isWhole, setWhole] = useState(whole);
  return (
    <span class={isWhole ? 'id whole' : 'id'}>
      <code title={id}>{isWhole ? id : shortened(id)}</code>
      <CopyButton quiet text={id} label={`${COMMON.copy} ${id}`} onRefused={() => setWhole(true)} />
    </span>
  );
}
