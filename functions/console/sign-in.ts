import { z } from 'zod';
import { notFound } from '../../shared/errors.ts';
import { needs } from '../needs.ts';

const answer = z
  .object({
    issuer: z.url().describe('The URL of the identity provider.'),
    client_id: z.string().describe('The OAuth client ID of this deployment.'),
    scope: z.string().describe('The scopes to request, separated by spaces.'),
    audience: z.string().describe('The audience that access tokens must have.'),
    workload_issuers: z
      .array(
        z.object({
          issuer: z.url().describe('The issuer of ID tokens of workloads.'),
          claims: z.array(z.string()).describe('Each federation with this issuer must have one of these claims.'),
        }),
      )
      .describe('The issuers whose ID tokens workloads can use instead of the token of an API key.'),
  })
  .meta({ id: 'SignIn' });

/** Needs no credential, because the console and `esk` call it before a person signs in. */
export const signInRoute = needs('config').openRoute({
  id: 'sign_in',
  path: '/v1/sign-in',
  summary: 'Get the sign-in settings',
  description: 'Returns what a client needs to sign a person in with the identity provider.',
  tag: 'Account',
  statuses: [200],
  answer,
  async respond({ config: { identity, workloadIssuers } }) {
    if (identity === undefined) throw notFound();
    const { issuer, clientId, scope, audience } = identity;
    const workload_issuers = workloadIssuers.map(({ issuer, claims }) => ({ issuer, claims: [...claims] }));
    return { status: 200, body: { issuer, client_id: clientId, scope, audience, workload_issuers } };
  },
});
