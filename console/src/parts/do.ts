import { setQuery, useAddress } from '../address/address.ts';

/** Which dialog is open, by the address, so that a link and a reload show it; and what opens and closes it. */
export function useDialog(): {
  readonly open: string | undefined;
  readonly show: (name: string) => void;
  readonly close: () => void;
} {
  const { query } = useAddress();
  return {
    open: query.get('do') ?? undefined,
    show: (name) => setQuery({ do: name }),
    close: () => setQuery({ do: undefined }),
  };
}
