import { useEffect, useState } from 'preact/hooks';

/** Where the person is. Every state of a page that a link shall show again is here. */
export interface Address {
  readonly path: string;
  readonly query: URLSearchParams;
  /** What follows `#`, which never reaches a server. */
  readonly fragment: string;
}

const listeners = new Set<() => void>();

/** The address that the browser shows. */
export function readAddress(): Address {
  return {
    path: location.pathname,
    query: new URLSearchParams(location.search),
    fragment: location.hash.slice(1),
  };
}

let visit = 0;
let visited = location.pathname;

/** The number of the visit to the present page; it grows with every change of the path. */
export const currentVisit = (): number => visit;

function changed(): void {
  if (location.pathname !== visited) visit += 1;
  visited = location.pathname;
  for (const listener of listeners) listener();
}

/** Goes to an address of the console without loading the page again. */
export function navigate(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (replace) history.replaceState(null, '', to);
  else if (to !== `${location.pathname}${location.search}`) history.pushState(null, '', to);
  changed();
}

/** Sets parameters of the present address; `undefined` and the empty text take one away. */
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

/** The present address; a component that uses it is drawn again when it changes. */
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

addEventListener('popstate', changed);
