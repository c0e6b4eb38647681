import { describe, expect, test } from 'vitest';
import { LOGGED, LOGGED_SERVICES, loggedIn, projectPolicy, withDataAccessLogs } from '../../deploy/data-access.ts';

describe('Data Access logs', () => {
  const policy = projectPolicy.parse({
    etag: 'abc',
    bindings: [{ role: 'roles/owner', members: ['user:owner@example.com'] }],
    auditConfigs: [
      { service: 'storage.googleapis.com', auditLogConfigs: [{ logType: 'DATA_READ' }] },
      { service: 'cloudkms.googleapis.com', auditLogConfigs: [{ logType: 'DATA_READ', exemptedMembers: ['user:a'] }] },
    ],
  });

  test('the missing logs are added, and nothing else of the policy changes', () => {
    const wanted = withDataAccessLogs(policy);
    expect(wanted).toEqual({
      ...policy,
      auditConfigs: [
        policy.auditConfigs[0],
        {
          service: 'cloudkms.googleapis.com',
          auditLogConfigs: [
            { logType: 'DATA_READ', exemptedMembers: ['user:a'] },
            { logType: 'ADMIN_READ' },
            { logType: 'DATA_WRITE' },
          ],
        },
        {
          service: 'datastore.googleapis.com',
          auditLogConfigs: [{ logType: 'ADMIN_READ' }, { logType: 'DATA_WRITE' }],
        },
      ],
    });
  });

  test('a policy with all logs is not replaced', () => {
    const complete = withDataAccessLogs(policy) ?? policy;
    expect(loggedIn(complete)).toEqual(LOGGED_SERVICES.flatMap((one) => LOGGED[one].map((type) => `${one} ${type}`)));
    expect(withDataAccessLogs(complete)).toBeUndefined();
  });
});
