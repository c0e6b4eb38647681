/*
 * What outlives a page: that somebody is signed in, so that a reload asks the provider again; that somebody has signed
 * out; the theme; which tenant takes its first steps; and for the way to the provider and back the sign-in, what was
 * typed into forms, and the address, which may be an invitation's. Access tokens and API keys are never written anywhere.
 */
const SIGNED_IN = 'signed-in';
const ASK_WHO = 'ask-who';
const THEME = 'theme';
const NEWCOMER = 'newcomer';

/** Whether somebody was signed in here when the page was last left. */
export const wasSignedIn = (): boolean => localStorage.getItem(SIGNED_IN) !== null;

/** Keeps whether a reload asks the provider who is signed in. */
export function keepSignedIn(is: boolean): void {
  if (is) localStorage.setItem(SIGNED_IN, 'yes');
  else localStorage.removeItem(SIGNED_IN);
}

/** Calls back when somebody signs out in another tab; a sign-in that fails there is no reason. */
export function onSignedOutElsewhere(listener: () => void): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key === ASK_WHO && newValue !== null) listener();
  });
}

/** Whether the provider shall ask who signs in, though it may know: after a person has signed out. */
export const shallAskWho = (): boolean => localStorage.getItem(ASK_WHO) !== null;

export function keepAskWho(is: boolean): void {
  if (is) localStorage.setItem(ASK_WHO, 'yes');
  else localStorage.removeItem(ASK_WHO);
}

/** Whether the tenant was last seen to have made no operation yet. */
export const isNewcomer = (tenantId: string): boolean => localStorage.getItem(NEWCOMER) === tenantId;

export function keepNewcomer(tenantId: string | undefined): void {
  if (tenantId === undefined) localStorage.removeItem(NEWCOMER);
  else localStorage.setItem(NEWCOMER, tenantId);
}

export type Theme = 'light' | 'dark';

/** The theme that was chosen; without one the system's counts. */
export function chosenTheme(): Theme | undefined {
  const theme = localStorage.getItem(THEME);
  return theme === 'light' || theme === 'dark' ? theme : undefined;
}

/** Keeps the theme and shows it. */
export function showTheme(theme: Theme | undefined): void {
  if (theme === undefined) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  if (theme === undefined) localStorage.removeItem(THEME);
  else localStorage.setItem(THEME, theme);
}

/** Keeps a text until it is taken, only in this tab. */
export function keepForReturn(name: string, text: string): void {
  sessionStorage.setItem(name, text);
}

/** Takes what was kept under the name. */
export function takeKept(name: string): string | undefined {
  const text = sessionStorage.getItem(name) ?? undefined;
  sessionStorage.removeItem(name);
  return text;
}
