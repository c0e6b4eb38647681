/*
 * State that outlives a page. Access tokens and API keys are never written anywhere.
 * Local storage: whether somebody is signed in or has signed out, when a person's tenant last changed, the theme, and
 * the tenant that sees the first steps.
 * Session storage, for a reload and the redirect to the identity provider: the sign-in, the form drafts and who typed
 * them, and the current address, which may contain an invitation token.
 */
const SIGNED_IN = 'signed-in';
const ASK_WHO = 'ask-who';
const TENANT_CHANGED = 'tenant-changed';
const THEME = 'theme';
const NEWCOMER = 'newcomer';

/** Returns whether somebody was signed in when the console was last open. */
export const wasSignedIn = (): boolean => localStorage.getItem(SIGNED_IN) !== null;

/** Stores whether somebody is signed in. If so, a reload asks the identity provider who is signed in. */
export function keepSignedIn(is: boolean): void {
  if (is) localStorage.setItem(SIGNED_IN, 'yes');
  else localStorage.removeItem(SIGNED_IN);
}

/** Calls `listener` when the person signs out in another tab. A failed sign-in in another tab does not count. */
export function onSignedOutElsewhere(listener: () => void): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key === ASK_WHO && newValue !== null) listener();
  });
}

/** Returns whether the identity provider must show its sign-in page even if it has a session, as after a sign-out. */
export const mustShowSignIn = (): boolean => localStorage.getItem(ASK_WHO) !== null;

export function keepAskWho(is: boolean): void {
  if (is) localStorage.setItem(ASK_WHO, 'yes');
  else localStorage.removeItem(ASK_WHO);
}

/** Tells the other tabs that the signed-in person is in another tenant now. */
export function tellTenantChanged(): void {
  localStorage.setItem(TENANT_CHANGED, new Date().toISOString());
}

/** Calls `listener` when another tab tells that a person's tenant has changed. */
export function onTenantChangedElsewhere(listener: () => void): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key === TENANT_CHANGED && newValue !== null) listener();
  });
}

/** Returns whether the tenant had encrypted nothing yet when the console last checked. */
export const isNewcomer = (tenantId: string): boolean => localStorage.getItem(NEWCOMER) === tenantId;

export function keepNewcomer(tenantId: string | undefined): void {
  if (tenantId === undefined) localStorage.removeItem(NEWCOMER);
  else localStorage.setItem(NEWCOMER, tenantId);
}

export type Theme = 'light' | 'dark';

/** Returns the theme that the person chose, or `undefined` if the system's theme applies. */
export function chosenTheme(): Theme | undefined {
  const theme = localStorage.getItem(THEME);
  return theme === 'light' || theme === 'dark' ? theme : undefined;
}

/** Stores a theme and applies it. */
export function showTheme(theme: Theme | undefined): void {
  if (theme === undefined) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  if (theme === undefined) localStorage.removeItem(THEME);
  else localStorage.setItem(THEME, theme);
}

/** Stores a text for this tab until {@link takeKept} reads it. */
export function keepForReturn(name: string, text: string): void {
  sessionStorage.setItem(name, text);
}

/** Returns a stored text and deletes it. */
export function takeKept(name: string): string | undefined {
  const text = sessionStorage.getItem(name) ?? undefined;
  sessionStorage.removeItem(name);
  return text;
}
