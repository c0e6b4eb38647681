import { expect, test } from 'vitest';
import { API_KEY, CONSOLE, EITHER, PERSON } from '../../../shared/auth/admission.ts';
import { makeId } from '../../../shared/base/ids.ts';
import type { Identity } from '../../../shared/tenancy/caller.ts';

const person = { subjectId: 'subject', email: null, name: null };
const identities: Record<Identity['kind'], Identity> = {
  api_key: {
    kind: 'api_key',
    tenantId: makeId(),
    containerId: makeId(),
    apiKeyId: makeId(),
    name: 'orders',
    allowedActions: [],
    keyIds: null,
    firewallId: null,
  },
  session: { kind: 'session', role: 'owner', tenantId: makeId(), userId: makeId(), person },
  newcomer: { kind: 'newcomer', person },
};

test.each([
  ['a route for either', 'api_key', 'admitted', EITHER],
  ['a route for either', 'session', 'admitted', EITHER],
  ['a route for either', 'newcomer', 'no_tenant', EITHER],
  ['a metered operation', 'api_key', 'admitted', API_KEY],
  ['a metered operation', 'session', 'api_key_required', API_KEY],
  ['a metered operation', 'newcomer', 'no_tenant', API_KEY],
  ['a console route', 'api_key', 'session_required', CONSOLE],
  ['a console route', 'session', 'admitted', CONSOLE],
  ['a console route', 'newcomer', 'no_tenant', CONSOLE],
  ['the route that provisions', 'api_key', 'session_required', PERSON],
  ['the route that provisions', 'session', 'admitted', PERSON],
  ['the route that provisions', 'newcomer', 'admitted', PERSON],
] as const)('%s, presented with the identity %s: %s', (_, kind, outcome, admission) => {
  const identity = identities[kind];
  if (outcome === 'admitted') expect(admission.admit(identity)).toBe(identity);
  else expect(() => admission.admit(identity)).toThrow(expect.objectContaining({ code: outcome }));
});
