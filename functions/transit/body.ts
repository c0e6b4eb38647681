import { z } from 'zod';
import { jsonBody, malformed, parseShape } from '../../shared/http/body.ts';
import type { InputReader } from '../../shared/http/input.ts';
import { isSet, refuseUnsupported, type Satisfied } from './unsupported-fields.ts';

/** The most items in a batch. */
const ITEMS = 100;

/** Routes that use a key refuse `type`, because they do not create a missing key, unlike Vault's routes. */
const NO_UPSERT = { type: 'create the key with POST keys/{name} first' };

/**
 * Reads a body in Vault's format: the default content type is JSON, and an empty body means an empty object. Refuses
 * unsupported fields of Transit, and the fields in `others`.
 */
export function transitBody<Input>(
  shape: z.ZodType<Input>,
  others: Readonly<Record<string, string>> = {},
): InputReader<Input> {
  return jsonBody(shape, { isLenient: true, check: (body) => refuseUnsupported(body, others) });
}

/** Like {@link transitBody}, for operations that use a key. */
export function usingBody<Input>(shape: z.ZodType<Input>): InputReader<Input> {
  return transitBody(shape, { ...NO_UPSERT, batch_input: 'request one data key at a time' });
}

const IN_BATCH = `must have 1 to ${ITEMS} items`;
const batch = z.object({ batch_input: z.array(z.unknown()).min(1, IN_BATCH).max(ITEMS, IN_BATCH) });
const fields = z.custom<object>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
);

export interface Values<Input> {
  readonly isBatch: boolean;
  readonly values: readonly (() => Input)[];
}

/** Reads one value, or a batch of 1 to 100 values in `batch_input`. Each item is parsed separately. */
export function valuesBody<Input>(
  shape: z.ZodObject & z.ZodType<Input>,
  isSatisfied?: Satisfied,
): InputReader<Values<Input>> {
  const parse = (value: unknown): Input => {
    refuseUnsupported(value, NO_UPSERT, isSatisfied);
    return parseShape<Input>(value, shape);
  };
  const outer = jsonBody(fields, { isLenient: true, check: (body) => refuseUnsupported(body, NO_UPSERT, isSatisfied) });
  return {
    body: z.union([
      shape,
      z.object({ batch_input: z.array(shape).min(1).max(ITEMS).describe('The values. Each is processed separately.') }),
    ]),
    refuses: outer.refuses,
    async read(request) {
      const given = await outer.read(request);
      if (!isSet(given, 'batch_input')) {
        const value = parse(given);
        return { isBatch: false, values: [() => value] };
      }
      const doubled = Object.keys(shape.shape).find((name) => isSet(given, name));
      if (doubled !== undefined) throw malformed(`in a batch, ${doubled} belongs in the items of batch_input`);
      return { isBatch: true, values: parseShape(given, batch).batch_input.map((item) => () => parse(item)) };
    },
  };
}
