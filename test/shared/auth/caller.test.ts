import { describe, expect, test } from 'vitest';
import { API_KEY, CONSOLE, EITHER, type Identity, PERSON } from '../../../shared/auth/caller.ts';
import { makeId } from '../../../shared/base/ids.ts';

const person = { subjectId: 'subject', email: null, name: null };
const identities: Record<Identity['kind'], Identity> = {
  api_key: {
    kind: 'api_key',
    tenantId: makeId(),
    containerId: makeId(),
    apiKeyId: makeId(),
    allowedActions: [],
    keyIds: null,
  },
  session: { kind: 'session', tenantId: makeId(), userId: makeId(), person },
  newcomer: { kind: 'newcomer', person },
};

test.each([
  ['a route for either', EITHER, 'api_key', 'admitted'],
  ['a route for either', EITHER, 'session', 'admitted'],
  ['a route for either', EITHER, 'newcomer', 'no_tenant'],
  ['a metered operation', API_KEY, 'api_key', 'admitted'],
  ['a metered operation', API_KEY, 'session', 'api_key_required'],
  ['a metered operation', API_KEY, 'newcomer', 'no_tenant'],
  ['a console route', CONSOLE, 'api_key', 'session_required'],
  ['a console route', CONSOLE, 'session', 'admitted'],
  ['a console route', CONSOLE, 'newcomer', 'no_tenant'],
  ['the route that provisions', PERSON, 'api_key', 'session_required'],
  ['the route that provisions', PERSON, 'session', 'admitted'],
  ['the route that provisions', PERSON, 'newcomer', 'admitted'],
] as const)('%s, $2: $3', (_, admission, kind, outcome) => {
  const identity = identities[kind];
  if (outcome === 'admitted') expect(admission.admit(identity)).toBe(identity);
  else expect(() => admission.admit(identity)).toThrow(expect.objectContaining({ code: outcome }));
});
