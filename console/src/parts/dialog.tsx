import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: ComponentChildren;
  /** Called when the person wants to close the dialog, for example with Esc. The caller may keep the dialog open. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog. When it closes, focus returns to the previously focused element. */
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
  // On repeated Esc, a browser closes the dialog without a `cancel` event. If the caller wants to keep the dialog, open
  // it again.
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
