import { percent } from '../words.ts';

interface MeterProps {
  readonly part: number;
  readonly whole: number;
}

/** A bar that shows `part` as a share of `whole`, with the percentage beside it. */
export function Meter({ part, whole }: MeterProps) {
  const used = whole === 0 ? 0 : Math.min(1, part / whole);
  return (
    <span class="meter">
      <svg viewBox="0 0 60 6" width="60" height="6" aria-hidden="true">
        <rect class="track" width="60" height="6" rx="3" />
        <rect class={used >= 0.8 ? 'fill near' : 'fill'} width={60 * used} height="6" rx="3" />
      </svg>
      <span class="figure">{percent(part, whole)}</span>
    </span>
  );
}
