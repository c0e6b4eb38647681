import { beforeAll, describe, expect, inject, test } from 'vitest';
import { methodOf } from '../../support/calls.ts';
import { outcome } from '../../support/client.ts';
import { goodRequests } from '../../support/good-requests.ts';
import { TABLE } from '../../support/route-table.ts';
import { type GoodRequest, sendGood } from '../../support/send-good.ts';
import { join } from '../../support/team.ts';
import { type Client, makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');
let requests: Readonly<Record<string, GoodRequest>>;
let admin: Client;
let auditor: Client;
beforeAll(async () => {
  const tenant = await makeTenant(stack);
  requests = await goodRequests(tenant);
  admin = (await join(tenant, 'admin')).session;
  auditor = (await join(tenant, 'auditor')).session;
});

const FOR_SESSIONS = TABLE.filter(({ credential }) => ['console', 'either'].includes(credential));
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
