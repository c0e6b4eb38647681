import { describe, expect, expectTypeOf, test } from 'vitest';
import { AUDIT } from '../../../shared/audit/event.ts';
import { USAGE } from '../../../shared/metering/counter.ts';
import type { Writes } from '../../../shared/store/writes.ts';
import { sources } from '../../sources.ts';

/** The writes that can change or remove a stored document. */
type Change = Exclude<keyof Writes, 'create' | 'commitMarker' | 'onApplied' | 'noteApplied'>;
/** The collections that these writes accept. */
type Changed = Parameters<Writes[Change]>[0];

interface Changeable {
  readonly mayChange: true;
}

/* These tests compare types. The type checker enforces them, in `npm run check`. */
describe('the append-only audit log', () => {
  test('the audit log accepts no write except the creation of a row', () => {
    expectTypeOf<Changed>().toExtend<Changeable>();
    expectTypeOf(USAGE).toExtend<Changeable>();
    expectTypeOf(AUDIT).not.toExtend<Changeable>();
    expectTypeOf(AUDIT).toExtend<Parameters<Writes['create']>[0]>();
    expect(AUDIT).not.toHaveProperty('mayChange');
  });

  test('only the audit log’s own module creates rows', () => {
    const creates = /\.create\(\s*AUDIT\b/;
    const creators = [...sources].filter(
      ([file, source]) => /^(?:shared|functions|operator)\//.test(file) && creates.test(source),
    );
    expect(creators.map(([file]) => file)).toEqual(['shared/audit/event.ts']);
  });
});
