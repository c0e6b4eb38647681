import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  /** Asked to close, by Esc or otherwise; may keep it open. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog. When it goes, focus returns to where it came from. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    return () => {
      element?.close();
      if (before instanceof HTMLElement && before.isConnected && before !== document.body) before.focus();
      else document.querySelector<HTMLElement>('h1')?.focus();
    };
  }, []);
  const cancel = (event: Event): void => {
    if (event.target !== dialog.current) return;
    event.preventDefault();
    onClose();
  };
  // A browser closes it by itself when Esc is pressed again and again; it is put back if it was not meant to go.
  const closed = (event: Event): void => {
    if (event.target !== dialog.current) return;
    onClose();
    queueMicrotask(() => dialog.current?.isConnected && !dialog.current.open && dialog.current.showModal());
  };
  return (
    <dialog ref={dialog} aria-labelledby={id} onCancel={cancel} onClose={closed}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}
