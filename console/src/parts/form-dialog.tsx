import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { visibleText } from '../../../client/src/visible-text.ts';
import { askBeforeLeaving } from '../address/address.ts';
import { type Answer, useAnswers } from '../service/answer.ts';
import { dropDraft, hasDraft, noteDraft, readDraft } from '../session/drafts.ts';
import { currentSession, noteRefusal } from '../session/session.ts';
import { COMMON } from '../words.ts';
import { Dialog } from './dialog.tsx';
import { Draft } from './draft.ts';
import { Failure, Loading } from './loaded.tsx';
import { Problem } from './problem.tsx';

interface FormDialogProps {
  readonly title: ComponentChildren;
  /** The name under which the form's draft is stored. Forms that edit different items need different names. */
  readonly form: string;
  readonly submit: string;
  /** Whether the action loses data. Then the button is red. */
  readonly danger?: boolean;
  /** If set, the person must type this name before the button works. */
  readonly confirmName?: string;
  /** Answers of the service that the fields need. The form appears when all of them are loaded. */
  readonly lists?: readonly Answer<unknown>[];
  /**
   * Runs the action. If it rejects, the dialog shows the error and keeps the input. After success, the caller must
   * close the dialog.
   */
  readonly onSubmit: (data: FormData) => Promise<void>;
  readonly onClose: () => void;
  readonly children?: ComponentChildren;
}

/** Returns a name as a person can type it from the screen. */
const asTyped = (name: string): string => visibleText(name).normalize('NFC').replace(/\s+/g, ' ').trim();

/** A dialog with a form or a confirmation. It asks before it discards input. */
export function FormDialog(props: FormDialogProps) {
  const { title, form, submit, danger = false, confirmName, lists = [], onSubmit, onClose, children } = props;
  const element = useRef<HTMLFormElement>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>(undefined);
  const [leaving, setLeaving] = useState(false);
  const [typed, setTyped] = useState('');
  const [draft] = useState(() => readDraft(form));
  useAnswers(...lists);
  // Once the form is visible, it stays visible, even if a list fails to reload.
  const wasReady = useRef(false);
  wasReady.current ||= lists.every(({ value, problem }) => value !== undefined && problem === undefined);
  const isReady = wasReady.current;

  // A draft must only survive the redirect to the identity provider. If a dialog is closed and opened again, it starts
  // empty.
  useEffect(
    () => () => {
      if (currentSession().state !== 'leaving') dropDraft(form);
    },
    [form],
  );
  useLayoutEffect(() => element.current?.querySelector<HTMLElement>('[autofocus]')?.focus(), [isReady]);

  /** Asks before input is discarded. Returns whether the dialog stays open. */
  const stays = (): boolean => {
    if (hasDraft(form) && !busy) setLeaving(true);
    return busy || hasDraft(form);
  };
  useEffect(() => askBeforeLeaving(stays), [form, busy]);
  const close = (): void => {
    if (!stays()) onClose();
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
      noteRefusal(error);
      setProblem(error);
      // The action may have taken effect, so what the dialog says about it may be outdated.
      for (const { ask } of lists) void ask();
    }
    setBusy(false);
  };
  const confirmed = confirmName === undefined || asTyped(typed) === asTyped(confirmName);

  return (
    <Dialog title={title} onClose={close}>
      {!isReady && (
        <>
          <Failure of={lists} />
          {lists.every(({ problem }) => problem === undefined) && <Loading />}
        </>
      )}
      <form
        ref={element}
        method="dialog"
        onSubmit={send}
        // A dialog with a confirmation stores no draft, because the person must type the name each time.
        onInput={() => confirmName === undefined && element.current !== null && noteDraft(form, element.current)}
      >
        {isReady && <Draft.Provider value={draft}>{children}</Draft.Provider>}
        {confirmName !== undefined && (
          <label class="field">
            <span>{COMMON.confirmName}</span>
            <input
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
            <button type="button" onClick={onClose}>
              {COMMON.discardYes}
            </button>
            <button type="button" onClick={() => setLeaving(false)}>
              {COMMON.discardNo}
            </button>
          </p>
        )}
        <div class="buttons">
          {isReady && (
            <button
              type="submit"
              class={danger ? 'danger primary' : 'primary'}
              disabled={busy || !confirmed}
              autofocus={!danger}
            >
              {submit}
            </button>
          )}
          <button type="button" onClick={close} autofocus={danger}>
            {COMMON.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
