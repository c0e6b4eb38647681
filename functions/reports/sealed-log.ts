import { z } from 'zod';
import { invalidQuery, query } from '../../shared/http/query.ts';
import type { Signer } from '../../shared/sealing/log-key.ts';
import type { Part } from '../../shared/sealing/read.ts';
import { pageLimit, parseLimit } from './limit.ts';

/** What it takes to show a sealed log. */
export interface SealedLogNeeds {
  readonly signer: Signer;
}

/** A part of a sealed log. Throws `invalid_query` for a parameter that is there and not well-formed. */
export const partQuery = query(
  z.object({ from: z.int().min(0).default(0), limit: pageLimit }),
  (parameters): Part => ({ from: parseFrom(parameters.get('from')), limit: parseLimit(parameters.get('limit')) }),
);

function parseFrom(text = '0'): number {
  if (!/^\d+$/.test(text)) throw invalidQuery('from is not a whole number from 0 on');
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
}
