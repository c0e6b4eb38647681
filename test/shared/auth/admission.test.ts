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
    expiresAt: null,
    workload: null,
  },
  session: { kind: 'session', role: 'owner', tenantId: makeId(), userId: makeId(), person },
  newcomer: { kind: 'newcomer', person },
};

test.each([
  ['a route for API keys and people', 'api_key', 'admitted', EITHER],
  ['a route for API keys and people', 'session', 'admitted', EITHER],
  ['a route for API keys and people', 'newcomer', 'no_tenant', EITHER],
  ['a metered operation', 'api_key', 'admitted', API_KEY],
  ['a metered operation', 'session', 'api_key_required', API_KEY],
  ['a metered operation', 'newcomer', 'no_tenant', API_KEY],
  ['a console route', 'api_key', 'session_required', CONSOLE],
  ['a console route', 'session', 'admitted', CONSOLE],
  ['a console route', 'newcomer', 'no_tenant', CONSOLE],
  ['the provisioning route', 'api_key', 'session_required', PERSON],
  ['the provisioning route', 'session', 'admitted', PERSON],
  ['the provisioning route', 'newcomer', 'admitted', PERSON],
] as const)('a request to %s by a caller of the kind "%s" gets the outcome "%s"', (_, kind, outcome, admission) => {
  const identity = identities[kind];
  if (outcome === 'admitted') expect(admission.admit(identity)).toBe(identity);
  else expect(() => admission.admit(identity)).toThrow(expect.objectContaining({ code: outcome }));
});
