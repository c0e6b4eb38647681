import { describe, expect, expectTypeOf, test } from 'vitest';
import { AUDIT } from '../../../shared/audit/event.ts';
import { USAGE } from '../../../shared/metering/counter.ts';
import type { Writes } from '../../../shared/store/writes.ts';
import { sources } from '../../sources.ts';

/** The writes that change or remove what is there, or may meet it. */
type Change = Exclude<keyof Writes, 'create' | 'commitMarker' | 'onApplied' | 'noteApplied'>;
/** What they take for a collection. */
type Changed = Parameters<Writes[Change]>[0];

interface Changeable {
  readonly mayChange: true;
}

/* What is said of types here is held by the type checker, which `npm run check` runs. */
describe('the audit log is append-only', () => {
  test('no write but the creation of a row takes it', () => {
    expectTypeOf<Changed>().toExtend<Changeable>();
    expectTypeOf(USAGE).toExtend<Changeable>();
    expectTypeOf(AUDIT).not.toExtend<Changeable>();
    expectTypeOf(AUDIT).toExtend<Parameters<Writes['create']>[0]>();
    expect(AUDIT).not.toHaveProperty('mayChange');
  });

  test('the audit log’s own module is all that creates rows', () => {
    const creates = /\.create\(\s*AUDIT\b/;
    const creators = [...sources].filter(
      ([file, source]) => /^(?:shared|functions|operator)\//.test(file) && creates.test(source),
    );
    expect(creators.map(([file]) => file)).toEqual(['shared/audit/event.ts']);
  });
});
