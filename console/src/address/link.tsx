import type { ComponentChildren } from 'preact';
import { navigate } from './address.ts';

interface LinkProps {
  readonly to: string;
  readonly current?: boolean;
  readonly onFollow?: () => void;
  /** `primary`: the link looks like the main button of the page. */
  readonly look?: 'primary';
  readonly children: ComponentChildren;
}

/** A link to another page of the console. The browser handles clicks with a modifier key or another mouse button. */
export function Link({ to, current = false, onFollow, look, children }: LinkProps) {
  const follow = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    onFollow?.();
    navigate(to);
  };
  return (
    <a href={to} class={look} onClick={follow} {...(current && { 'aria-current': 'page' as const })}>
      {children}
    </a>
  );
}
