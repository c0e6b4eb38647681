import type { ComponentChildren } from 'preact';
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
