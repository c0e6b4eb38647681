import { expect, test } from 'vitest';
import { FINDINGS } from '../../operator/checks/findings.ts';
import { Part } from '../../operator/checks/part.ts';
import { renderPart } from '../../operator/checks/render.ts';

test('the report of check-store contains the advice for each kind of finding only once', () => {
  const part = new Part('Object counts against the objects', { tenants: 0 });
  part.count('tenants', 2);
  part.findings.push(
    { kind: 'count-differs', about: {}, text: 'keys is stored as 7, but 0 exist', remedy: 'Set keys to 0' },
    { kind: 'count-differs', about: {}, text: 'firewalls is stored as 2, but 1 exist' },
    { kind: 'name-unclaimed', about: {}, text: 'the name of key 1 is not reserved' },
  );
  expect(renderPart(part).split('\n')).toEqual([
    'Object counts against the objects',
    '  tenants   2',
    '  findings  3',
    'count-differs: keys is stored as 7, but 0 exist. Set keys to 0',
    'count-differs: firewalls is stored as 2, but 1 exist',
    'name-unclaimed: the name of key 1 is not reserved',
    `What to do about count-differs: ${FINDINGS['count-differs'].action}`,
    `What to do about name-unclaimed: ${FINDINGS['name-unclaimed'].action}`,
    '',
  ]);
});

test('the report of check-store contains no advice if nothing was found', () => {
  expect(renderPart(new Part('Keys against the KMS', { 'live keys': 0 }))).not.toContain('What to do');
});
