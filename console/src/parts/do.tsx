import { setQuery, useAddress } from '../address/address.ts';

/** Which dialog is open, by the address, so that a link and a reload show it; and what closes it. */
export function useDialog(): { readonly open: string | undefined; readonly close: () => void } {
  const { query } = useAddress();
  return { open: query.get('do') ?? undefined, close: () => setQuery({ do: undefined }) };
}

interface OpenerProps {
  /** The dialog, as the address has it. */
  readonly opens: string;
  readonly text: string;
  /** The page's main action, or one that takes something away, apart from the others. */
  readonly look?: 'primary' | 'danger apart';
}

/** A button that opens a dialog of the page. */
export function Opener({ opens, text, look }: OpenerProps) {
  return (
    <button type="button" class={look ?? ''} onClick={() => setQuery({ do: opens })}>
      {text}
    </button>
  );
}
