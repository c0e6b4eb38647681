import { expect, inject, test } from 'vitest';
import { ofApiKey } from '../../../shared/auth/policy.ts';
import { makeId } from '../../../shared/base/ids.ts';
import type { ApiKeyCaller } from '../../../shared/tenancy/caller.ts';
import { openInProcess } from '../../support/in-process.ts';

function aCaller(allowedActions: ApiKeyCaller['allowedActions']): ApiKeyCaller {
  return {
    kind: 'api_key',
    tenantId: makeId(),
    containerId: makeId(),
    apiKeyId: makeId(),
    name: 'orders',
    allowedActions,
    keyIds: null,
    firewallId: null,
    expiresAt: null,
    workload: null,
  };
}

test('each of 240 concurrent authorization decisions about different keys is correct', async () => {
  const { policy } = openInProcess(inject('stack')).services;
  const callers = [aCaller(['encrypt']), aCaller(['decrypt'])];
  // Decisions about 240 keys do not fit in one request to the policy decision point.
  const decisions = Array.from({ length: 240 }, (_, at) => {
    const caller = callers[at % 2] ?? aCaller([]);
    return policy.allows(ofApiKey(caller, { keyId: makeId(), tier: 'wrapped' }, at % 4 < 2 ? 'encrypt' : 'decrypt'));
  });
  const expected = decisions.map((_, at) => (at % 2 === 0) === at % 4 < 2);
  expect(await Promise.all(decisions)).toEqual(expected);
});
