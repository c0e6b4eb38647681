import { z } from 'zod';
import { notFound } from '../../shared/errors.ts';
import { openRoute } from '../../shared/http/pipeline.ts';

const answer = z
  .object({
    issuer: z.url().describe('The URL of the identity provider.'),
    client_id: z.string().describe('The OAuth client ID of this deployment.'),
    scope: z.string().describe('The scopes to request, separated by spaces.'),
    audience: z.string().describe('The audience that access tokens must have.'),
  })
  .meta({ id: 'SignIn' });

/** Needs no credential, because the console and `esk` call it before a person signs in. */
export const signInRoute = openRoute({
  id: 'sign_in',
  path: '/v1/sign-in',
  summary: 'Get the sign-in settings',
  description: 'Returns what a client needs to sign a person in with the identity provider.',
  tag: 'Account',
  statuses: [200],
  answer,
  async respond({ config: { identity } }) {
    if (identity === undefined) throw notFound();
    const { issuer, clientId, scope, audience } = identity;
    return { status: 200, body: { issuer, client_id: clientId, scope, audience } };
  },
});
