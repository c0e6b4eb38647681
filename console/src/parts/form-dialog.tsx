import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { dropDraft, hasDraft, noteDraft, restoreDraft } from '../session/drafts.ts';
import { isSessionEnd, renew } from '../session/session.ts';
import { COMMON } from '../words.ts';
import { Dialog } from './dialog.tsx';
import { Problem } from './problem.tsx';

interface FormDialogProps {
  readonly title: string;
  /** What the form is called among the drafts: one for each thing that it changes. */
  readonly form: string;
  readonly submit: string;
  /** Data is lost: the button is red. */
  readonly danger?: boolean;
  /** The name that has to be typed before the button works. */
  readonly confirmName?: string;
  /** Does it; what it throws is shown, and nothing typed is lost. The dialog is closed by whoever opened it. */
  readonly onSubmit: (data: FormData) => Promise<void>;
  readonly onClose: () => void;
  readonly children?: ComponentChildren;
}

/** A dialog that asks for what an action needs, or whether it is meant. With something typed it asks before it closes. */
export function FormDialog(props: FormDialogProps) {
  const { title, form, submit, danger = false, confirmName, onSubmit, onClose, children } = props;
  const element = useRef<HTMLFormElement>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>(undefined);
  const [leaving, setLeaving] = useState(false);
  const [typed, setTyped] = useState('');

  useEffect(() => {
    if (element.current !== null && hasDraft(form)) restoreDraft(form, element.current);
  }, [form]);

  const discard = (): void => {
    dropDraft(form);
    onClose();
  };
  const close = (): void => {
    if (hasDraft(form) && !busy) setLeaving(true);
    else if (!busy) onClose();
  };
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (element.current === null || busy) return;
    setBusy(true);
    setProblem(undefined);
    try {
      await onSubmit(new FormData(element.current));
      dropDraft(form);
    } catch (error) {
      if (isSessionEnd(error)) renew();
      setProblem(error);
    }
    setBusy(false);
  };
  const confirmed = confirmName === undefined || typed === confirmName;

  return (
    <Dialog title={title} onClose={close}>
      <form
        ref={element}
        method="dialog"
        onSubmit={send}
        onInput={() => element.current !== null && noteDraft(form, new FormData(element.current))}
      >
        {children}
        {confirmName !== undefined && (
          <label class="field">
            <span>{COMMON.confirmName}</span>
            <input
              name="confirm"
              autofocus
              autocomplete="off"
              spellcheck={false}
              value={typed}
              onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            />
          </label>
        )}
        {problem !== undefined && <Problem problem={problem} onRetry={() => element.current?.requestSubmit()} />}
        {leaving && (
          <p class="row notice" role="status">
            {COMMON.discard}
            <button type="button" onClick={discard}>
              {COMMON.discardYes}
            </button>
            <button type="button" onClick={() => setLeaving(false)}>
              {COMMON.discardNo}
            </button>
          </p>
        )}
        <div class="buttons">
          <button
            type="submit"
            class={danger ? 'danger primary' : 'primary'}
            disabled={busy || !confirmed}
            autofocus={!danger}
          >
            {submit}
          </button>
          <button type="button" onClick={close} autofocus={danger}>
            {COMMON.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
