import { z } from 'zod';
import { invalidQuery, query } from '../../shared/http/query.ts';
import type { Part } from '../../shared/sealing/read.ts';
import { pageLimit, parseLimit } from './limit.ts';

/** Parses the first position and the number of items to return. Throws `invalid_query` for a malformed parameter. */
export const partQuery = query(
  z.object({ from: z.int().min(0).default(0).describe('The first position to return.'), limit: pageLimit }),
  (parameters): Part => ({ from: parseFrom(parameters.get('from')), limit: parseLimit(parameters.get('limit')) }),
);

function parseFrom(text = '0'): number {
  if (!/^\d+$/.test(text)) throw invalidQuery('from must be a whole number, 0 or greater');
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
}
