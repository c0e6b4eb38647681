import { expect, test } from 'vitest';
import { csv } from '../../src/cli/csv.ts';
import { errorLine, failureOf } from '../../src/cli/explain.ts';
import { entryOf } from '../../src/cli/sealed-log/answers.ts';

const EVENT = { id: '1b4e28ba-2fa1-41d2-883f-0016d3cca427', ts: new Date('2026-11-20T12:00:01Z'), user_id: null };
const CHANGES = [{ field: 'name', before: null, after: 'a "b"' }];

test('an event is verified as the service sent it, with its changes or, from an earlier release, without', () => {
  const ts = '2026-11-20T12:00:01.000Z';
  expect(entryOf(EVENT)).toEqual({ ...EVENT, ts });
  expect(entryOf({ ...EVENT, changes: CHANGES })).toEqual({ ...EVENT, ts, changes: CHANGES });
});

test('an event with a member that this esk does not know ends a verification with exit 1, and esk says that it must be upgraded', async () => {
  const failure = await failureOf(async () => entryOf({ ...EVENT, region: 'here' }));
  expect(failure?.exitCode).toBe(1);
  expect(failure && errorLine(failure)).toMatch(/^esk: upgrade_needed: .* does not know region .* must be upgraded$/);
});

test('in CSV, changes are JSON text, and no changes an empty field', () => {
  const rows = [{ changes: CHANGES }, { changes: null }, {}];
  const quoted = `"${JSON.stringify(CHANGES).replaceAll('"', '""')}"`;
  expect(csv(rows, ['changes', 'id'])).toBe(`changes,id\r\n${quoted},\r\n,\r\n,\r\n`);
});
