import { setQuery, useAddress } from '../address/address.ts';
import { currentRole, may } from '../session/role.ts';
import { ROLES } from '../words.ts';

/**
 * The dialog that the address names. The name is in the address so that links can open a dialog and reloads keep it
 * open.
 */
interface OpenDialog {
  /** The dialog's name, or `undefined` if the address names no dialog or the person's role does not allow it. */
  readonly open: string | undefined;
  /** The id of the list item that the dialog is about. */
  readonly about: string | undefined;
  /** Removes the dialog from the address, with what the address says about it. */
  readonly close: () => void;
}

export function useDialog(): OpenDialog {
  const { query } = useAddress();
  const name = query.get('do') ?? undefined;
  return {
    open: name !== undefined && may(name) ? name : undefined,
    about: query.get('about') ?? undefined,
    close: () => setQuery({ do: undefined, about: undefined, actions: undefined }),
  };
}

/** Explains that the dialog in the address is not open because the person's role does not allow it. */
export function NotAllowed() {
  const name = useAddress().query.get('do');
  const role = currentRole();
  if (name === null || role === undefined || may(name)) return null;
  return (
    <p class="notice" role="status">
      {ROLES.notAllowed[role]}
    </p>
  );
}

interface OpenerProps {
  /** The name of the dialog that the button opens, as it appears in the address. */
  readonly opens: string;
  readonly text: string;
  /** The list item that the dialog is about. Screen readers announce its name. */
  readonly about?: { readonly id: string; readonly name: string };
  /**
   * The button's appearance. `primary`: the page's main action. `danger apart`: an action that removes something.
   * `small`: a button beside text.
   */
  readonly look?: 'primary' | 'danger apart' | 'small';
}

/** A button that opens a dialog of the page. It is hidden if the person's role does not allow the dialog. */
export function Opener({ opens, text, about, look }: OpenerProps) {
  if (!may(opens)) return null;
  return (
    <button
      type="button"
      class={look ?? ''}
      {...(about !== undefined && { 'aria-label': `${text} ${about.name}` })}
      onClick={() => setQuery({ do: opens, about: about?.id })}
    >
      {text}
    </button>
  );
}
