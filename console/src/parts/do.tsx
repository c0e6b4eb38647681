import { setQuery, useAddress } from '../address/address.ts';
import { currentRole, may } from '../session/role.ts';
import { ROLES } from '../words.ts';

/** A dialog of a page, as the address has it, so that a link and a reload show it. */
interface OpenDialog {
  /** Its name; `undefined` if the person's role does not allow it. */
  readonly open: string | undefined;
  /** The thing of a list that it is about, by its id. */
  readonly about: string | undefined;
  readonly close: () => void;
}

/** Which dialog is open, and what closes it. */
export function useDialog(): OpenDialog {
  const { query } = useAddress();
  const name = query.get('do') ?? undefined;
  return {
    open: name !== undefined && may(name) ? name : undefined,
    about: query.get('about') ?? undefined,
    close: () => setQuery({ do: undefined, about: undefined }),
  };
}

/** Explains why a dialog in the address is not open: the person's role does not allow it. */
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
  /** The dialog, as the address has it. */
  readonly opens: string;
  readonly text: string;
  /** The thing of a list that the dialog is about: its id, and its name for a screen reader. */
  readonly about?: { readonly id: string; readonly name: string };
  /** `primary`: the page's main action. `danger apart`: removes something. `small`: beside text. */
  readonly look?: 'primary' | 'danger apart' | 'small';
}

/** A button that opens a dialog of the page. It is not shown if the person's role does not allow the dialog. */
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
