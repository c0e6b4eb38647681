import { COMMON } from '../words.ts';
import { CopyButton } from './copy.tsx';

interface IdProps {
  readonly id: string;
  readonly whole?: boolean;
}

/** An id, shortened in the middle, with a button that copies it whole. */
export function Id({ id, whole = false }: IdProps) {
  const short = whole || id.length <= 13 ? id : `${id.slice(0, 6)}…${id.slice(-4)}`;
  return (
    <span class="id">
      <code title={id}>{short}</code>
      <CopyButton quiet text={id} label={`${COMMON.copy} ${id}`} />
    </span>
  );
}
