import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ALLOWED } from '../console/src/session/allowed.ts';
import { memberRules } from '../deploy/reference/member-rules.ts';
import { REPOSITORY_ROOT } from '../emulators/base/repository.ts';
import { cerbosBinary } from '../emulators/policy/server.ts';
import { everyRoute } from '../functions/routes.ts';
import { rolesOf } from '../shared/http/roles.ts';

/** Every optional feature, so that all routes exist. */
const ALL = { identity: true, billing: true, sealing: true, transit: true };

const run = promisify(execFile);
const report = z.object({
  summary: z.object({
    testsCount: z.number(),
    resultCounts: z.array(z.object({ result: z.string(), count: z.number() })),
  }),
});

test('an API key may do exactly its allowed actions, and a member exactly what their role allows', async () => {
  const { stdout } = await run(cerbosBinary(), ['compile', 'policies/resource_policies', '--test-output=json'], {
    cwd: REPOSITORY_ROOT,
    maxBuffer: 16_000_000,
  });
  const { summary } = report.parse(JSON.parse(stdout));
  expect(summary.testsCount).toBeGreaterThan(0);
  expect(summary.resultCounts).toEqual([{ result: 'RESULT_PASSED', count: summary.testsCount }]);
});

const RULES = memberRules().flatMap(({ actions, roles }) => actions.map((operation) => ({ operation, roles })));

test('the tenant policy has rules for exactly the routes that depend on the member’s role', () => {
  const decided = everyRoute(ALL).filter(({ refuses }) => refuses.includes('role_not_allowed'));
  expect(RULES.map(({ operation }) => operation).toSorted()).toEqual(decided.map(({ id }) => id).toSorted());
});

test('the OpenAPI document names, for each route, the roles that the policy allows', () => {
  const decided = everyRoute(ALL).flatMap((route) => {
    const roles = rolesOf(route);
    return roles === undefined ? [] : [[route.id, roles] as const];
  });
  expect(Object.fromEntries(decided)).toEqual(
    Object.fromEntries(RULES.map(({ operation, roles }) => [operation, roles])),
  );
});

/** What the console calls these operations. It calls the others by the first word of their names. */
const CONSOLE_NAMES: Readonly<Record<string, string>> = {
  update_api_key: 'edit',
  update_firewall: 'edit',
  revoke_invitation: 'revoke-invitation',
  change_role: 'change-role',
  start_checkout: 'subscribe',
  open_portal: 'subscribe',
};

test('the console offers each action to exactly the roles that the policy allows', () => {
  const allowed = RULES.map(({ operation, roles }) => [CONSOLE_NAMES[operation] ?? operation.split('_')[0], roles]);
  expect(ALLOWED).toEqual(Object.fromEntries(allowed));
  for (const [action, roles] of allowed) expect([action, ALLOWED[String(action)]]).toEqual([action, roles]);
});

test('every route with which a member changes something depends on the member’s role, except the two for invited people', () => {
  const free = everyRoute(ALL).filter(
    ({ credential, method, refuses }) =>
      ['console', 'either', 'person'].includes(credential) && method !== 'GET' && !refuses.includes('role_not_allowed'),
  );
  expect(free.map(({ id }) => id).toSorted()).toEqual(['accept_invitation', 'preview_invitation']);
});
