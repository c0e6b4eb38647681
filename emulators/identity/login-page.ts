import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type Provider from 'oidc-provider';

export const loginPath = '/interaction/';

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Sign in (local)</title>
<style>body { font: 16px system-ui; max-width: 20rem; margin: 4rem auto } input, button { font: inherit; width: 100%; margin: .25rem 0 1rem; box-sizing: border-box }</style>
<h1>Sign in</h1>
<p>This is the local stack. You can sign in with any subject.</p>
<form method="post">
<label>Subject <input name="subject" value="demo" required></label>
<label>Email (optional) <input name="email" type="email"></label>
<label>Name (optional) <input name="name"></label>
<button>Sign in</button>
</form>
`;

/** Shows the login form (GET) or signs the person in (POST). */
export async function handleLogin(
  provider: Provider,
  accounts: Accounts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'POST') {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
    return;
  }
  const form = new URLSearchParams(await text(request));
  const subject = form.get('subject');
  if (!subject) {
    response.writeHead(400, { 'content-type': 'text/plain' }).end('enter a subject');
    return;
  }
  const email = form.get('email');
  const name = form.get('name');
  accounts.signIn(subject, { ...(email && { email }), ...(name && { name }) });
  await provider.interactionFinished(request, response, { login: { accountId: subject } });
}

export type Profile = { readonly email?: string; readonly name?: string };

/** The people who have signed in. Everybody can sign in, with any subject. */
export type Accounts = {
  readonly signIn: (subject: string, profile: Profile) => void;
  readonly profile: (subject: string) => Profile;
};

export function makeAccounts(): Accounts {
  const profiles = new Map<string, Profile>();
  return {
    signIn: (subject, profile) => {
      profiles.set(subject, profile);
    },
    profile: (subject) => profiles.get(subject) ?? {},
  };
}
