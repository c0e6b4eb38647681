import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { visibleText } from '../../../client/src/visible-text.ts';
import { useAddress } from '../address/address.ts';
import { SHELL } from '../words.ts';
import { NotAllowed } from './do.tsx';
import { Name } from './name.tsx';

interface PageProps {
  readonly title: string;
  /** The state of the item that the page shows. It appears beside the title. */
  readonly state?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

let shownPath: string | undefined;

/** The frame of a page. After navigation, the heading gets the focus so that a screen reader reads it aloud. */
export function Page({ title, state, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { path } = useAddress();
  useEffect(() => {
    document.title = `${visibleText(title)} · ${SHELL.product}`;
  }, [title]);
  useEffect(() => {
    if (shownPath !== undefined && shownPath !== path) {
      heading.current?.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    shownPath = path;
  }, [path]);
  return (
    <>
      <header class="page-head">
        <h1 ref={heading} tabIndex={-1}>
          <Name text={title} />
        </h1>
        {state}
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      <NotAllowed />
      {children}
    </>
  );
}
