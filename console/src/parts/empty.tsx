import type { ComponentChildren } from 'preact';
import { setQuery } from '../address/address.ts';
import { COMMON } from '../words.ts';
import { Drawing, type DrawingName } from './drawings.tsx';

interface EmptyProps {
  readonly drawing: DrawingName;
  readonly children: ComponentChildren;
}

/** Says that a list is empty, with a drawing of what it lists. */
export function Empty({ drawing, children }: EmptyProps) {
  return (
    <div class="empty">
      <Drawing of={drawing} />
      {children}
    </div>
  );
}

/** Says that a search found nothing, with a button that clears the search. */
export function NothingMatches() {
  return (
    <p class="row muted">
      {COMMON.nothingMatches}
      <button type="button" onClick={() => setQuery({ q: undefined })}>
        {COMMON.clearSearch}
      </button>
    </p>
  );
}
