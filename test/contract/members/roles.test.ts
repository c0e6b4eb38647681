import { describe, expect, inject, test } from 'vitest';
import { outcome } from '../../support/client.ts';
import { goodRequests, sendGood } from '../../support/good-requests.ts';
import { methodOf, ROUTES } from '../../support/route-table.ts';
import { join } from '../../support/team.ts';
import { makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');
const tenant = await makeTenant(stack);
const requests = await goodRequests(tenant);
const admin = (await join(tenant, 'admin')).session;
const auditor = (await join(tenant, 'auditor')).session;

const FOR_SESSIONS = ROUTES.filter(({ credential }) => ['console', 'either'].includes(credential));
const READS = FOR_SESSIONS.filter(({ call }) => methodOf(call) === 'GET');
const CHANGES = FOR_SESSIONS.filter(({ call }) => methodOf(call) !== 'GET');
const ONLY_OWNERS = /\/members|\/invitations|\/billing/;

describe('an auditor', () => {
  test.each(READS)('an auditor is allowed to call $call', async ({ call, good }) => {
    expect(outcome(await sendGood(auditor, call, requests))).toBe(good);
  });

  test.each(CHANGES)('an auditor gets 403 role_not_allowed for $call', async ({ call }) => {
    expect(outcome(await sendGood(auditor, call, requests))).toBe('403 role_not_allowed');
  });
});

describe('an admin', () => {
  test.each(CHANGES.filter(({ call }) => ONLY_OWNERS.test(call)))(
    'an admin gets 403 role_not_allowed for $call',
    async ({ call }) => {
      expect(outcome(await sendGood(admin, call, requests))).toBe('403 role_not_allowed');
    },
  );

  test.each(CHANGES.filter(({ call }) => !ONLY_OWNERS.test(call)))(
    'an admin is allowed to call $call',
    async ({ call, good }) => {
      expect(outcome(await sendGood(admin, call, requests))).toBe(good);
    },
  );
});
