import { z } from 'zod';
import type { SignInConfig } from '../../shared/config.ts';
import { openRoute } from '../../shared/http/pipeline.ts';

/** What it takes to tell how people sign in. */
export interface SignInNeeds {
  readonly signIn: SignInConfig;
}

const answer = z
  .object({ issuer: z.url(), client_id: z.string(), scope: z.string(), audience: z.string() })
  .meta({ id: 'SignIn' });

export const signInRoute = openRoute({
  id: 'sign_in',
  path: '/v1/sign-in',
  summary: 'What a console or a program needs to sign a person in at the identity provider',
  statuses: [200],
  answer,
  async respond({ signIn: { issuer, clientId, scope, audience } }: SignInNeeds) {
    return { status: 200, body: { issuer, client_id: clientId, scope, audience } };
  },
});
