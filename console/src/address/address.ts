import { useEffect, useState } from 'preact/hooks';

/**
 * The current address. State of a page belongs in the query if it must survive a reload or be part of a shared link.
 */
export interface Address {
  readonly path: string;
  readonly query: URLSearchParams;
  /** The part after `#`, without the `#` itself. Browsers never send it to a server. */
  readonly fragment: string;
}

const listeners = new Set<() => void>();

export function readAddress(): Address {
  return {
    path: location.pathname,
    query: new URLSearchParams(location.search),
    fragment: location.hash.slice(1),
  };
}

let visit = 0;
let visited = location.pathname;

/** Returns the number of the current visit. The number grows each time the path changes. */
export const currentVisit = (): number => visit;

let shown = location.href;
let staysHere = (): boolean => false;

/** While `mustStay` returns true, Back and Forward do not leave the current address. Returns a function that ends this. */
export function askBeforeLeaving(mustStay: () => boolean): () => void {
  staysHere = mustStay;
  return () => {
    staysHere = () => false;
  };
}

function changed(): void {
  shown = location.href;
  if (location.pathname !== visited) visit += 1;
  visited = location.pathname;
  for (const listener of listeners) listener();
}

/** Changes the address without reloading the page. */
export function navigate(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (replace) history.replaceState(null, '', to);
  else if (to !== `${location.pathname}${location.search}`) history.pushState(null, '', to);
  changed();
}

/** Changes query parameters of the current address. `undefined` or an empty string removes a parameter. */
export function setQuery(
  change: Readonly<Record<string, string | undefined>>,
  options: { readonly replace?: boolean } = { replace: true },
): void {
  const { path, query } = readAddress();
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined || value === '') query.delete(name);
    else query.set(name, value);
  }
  const search = query.toString();
  navigate(search === '' ? path : `${path}?${search}`, options);
}

/** Returns the current address. The component renders again when the address changes. */
export function useAddress(): Address {
  const [address, setAddress] = useState(readAddress);
  useEffect(() => {
    const listener = (): void => setAddress(readAddress());
    listeners.add(listener);
    listener();
    return () => {
      listeners.delete(listener);
    };
  }, []);
  return address;
}

addEventListener('popstate', () => {
  if (staysHere()) history.pushState(null, '', shown);
  else changed();
});
