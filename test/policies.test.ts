import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';
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

test('the tenant policy has rules for exactly the routes that depend on the member’s role', async () => {
  const text = await readFile('policies/resource_policies/tenant.yaml', 'utf8');
  const ruled = [...text.matchAll(/^ {8}- (\w+)$/gm)].map(([, operation]) => operation);
  const decided = everyRoute(ALL).filter(({ refuses }) => refuses.includes('role_not_allowed'));
  expect(ruled.toSorted()).toEqual(decided.map(({ id }) => id).toSorted());
});

test('the OpenAPI document names, for each route, the roles that the policy allows', async () => {
  const text = await readFile('policies/resource_policies/tenant.yaml', 'utf8');
  const rules = [...text.matchAll(/- actions:\n((?: +- \w+\n)+) +roles: \[(.*)\]/g)];
  const allowed = rules.flatMap(([, operations = '', roles = '']) =>
    [...operations.matchAll(/\w+/g)].map(([operation]) => [operation, roles.split(', ')] as const),
  );
  const decided = everyRoute(ALL).flatMap((route) => {
    const roles = rolesOf(route);
    return roles === undefined ? [] : [[route.id, roles] as const];
  });
  expect(Object.fromEntries(decided)).toEqual(Object.fromEntries(allowed));
});

test('every route with which a member changes something depends on the member’s role, except the two for invited people', () => {
  const free = everyRoute(ALL).filter(
    ({ credential, method, refuses }) =>
      ['console', 'either', 'person'].includes(credential) && method !== 'GET' && !refuses.includes('role_not_allowed'),
  );
  expect(free.map(({ id }) => id).toSorted()).toEqual(['accept_invitation', 'preview_invitation']);
});
