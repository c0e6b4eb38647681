import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { periodQuery } from '../../../shared/http/period-query.ts';
import { asRequest, readSent } from './exchange.ts';

function read(query: string) {
  return readSent({}, (message) => periodQuery.read(asRequest(message, { query })));
}

describe('the period in a query', () => {
  test.each(['2026-09', '2026-10', '2026-12'])('the period %s is accepted as a month', async (text) => {
    expect(await read(`period=${text}`)).toBe(text);
  });

  test('a missing period means the current month', async () => {
    expect(await read('')).toBeUndefined();
    expect(await read('limit=5')).toBeUndefined();
  });

  test.each(['', '2026', '2026-13', '2026-1', '2026-10-01', 'October'])('the period "%s" is refused', async (text) => {
    const refused = { code: 'invalid_period', message: 'period must be a month, as YYYY-MM' };
    await expect(read(`period=${text}`)).rejects.toEqual(expect.objectContaining(refused));
  });

  test('a repeated period is refused as an invalid query', async () => {
    const refused = expect.objectContaining({ code: 'invalid_query' });
    await expect(read('period=2026-10&period=2026-10')).rejects.toEqual(refused);
  });

  test('the period is documented as a month with a default', () => {
    expect(z.toJSONSchema(periodQuery.query ?? z.object()).properties).toEqual({
      period: {
        type: 'string',
        pattern: '^\\d{4}-\\d{2}$',
        description: 'UTC month, as YYYY-MM. The default is the current month.',
      },
    });
  });
});
