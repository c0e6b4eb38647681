import { describe, expect, test } from 'vitest';
import { describeRotation } from '../../src/cli/rotation-preview.ts';

const unused = { since: '2026-10-26', ops: 0, older_version_ops: 0, last_older_use: null };
const key = (tier: 'wrapped' | 'software' | 'hsm') => ({ tier, state: 'active' as const, frozen_at: null });
const lines = (...parameters: Parameters<typeof describeRotation>) =>
  describeRotation(...parameters)
    .trimEnd()
    .split('\n');

describe('the text of a rotation preview', () => {
  test('the preview lists the kept and retired versions, the use of older versions, and what to do before the rotation', () => {
    const recent = { since: '2026-10-26', ops: 120, older_version_ops: 12, last_older_use: '2026-11-20' };
    expect(lines(key('software'), { next_version: 4, keeps: [2, 3], retires: [1], recent })).toEqual([
      'Version 4 becomes the primary version.',
      'Versions 2 and 3 can still decrypt.',
      'Version 1 is retired: data encrypted with it can no longer be decrypted.',
      'In the last 30 days, 12 of 120 operations needed an older version, the last on 2026-11-20.',
      'Rewrap older data first; files with: esk rewrap FILE…',
    ]);
  });

  test('the preview recommends no action if no version is retired', () => {
    const recent = { ...unused, ops: 1 };
    expect(lines(key('hsm'), { next_version: 2, keeps: [1], retires: [], recent })).toEqual([
      'Version 2 becomes the primary version.',
      'Version 1 can still decrypt.',
      'No version is retired.',
      'In the last 30 days, the key performed 1 operation; none needed an older version.',
    ]);
  });

  test('if the rotation keeps only the new version, the preview says that rewrapping does not help', () => {
    const recent = { ...unused, ops: 7 };
    expect(lines(key('wrapped'), { next_version: 3, keeps: [], retires: [2], recent })).toEqual([
      'Version 3 becomes the primary version.',
      'Version 2 is retired: data encrypted with it can no longer be decrypted.',
      'In the last 30 days, the key performed 7 operations.',
      'Rewrapping does not help with this tier: decrypt what you want to keep before you rotate.',
    ]);
  });

  test('the preview lists several versions, and says that a key pending deletion must be restored first', () => {
    const pending = { tier: 'hsm', state: 'pending_deletion', frozen_at: null } as const;
    expect(lines(pending, { next_version: 9, keeps: [8], retires: [5, 6, 7], recent: unused })).toEqual([
      'The key is pending deletion: restore it before you rotate it.',
      'Version 9 becomes the primary version.',
      'Version 8 can still decrypt.',
      'Versions 5, 6 and 7 are retired: data encrypted with them can no longer be decrypted.',
      'In the last 30 days, the key was not used.',
      'Rewrap older data first; files with: esk rewrap FILE…',
    ]);
  });
});
