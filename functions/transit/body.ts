import { z } from 'zod';
import { jsonBody, malformed, parseShape } from '../../shared/http/body.ts';
import type { InputReader } from '../../shared/http/input.ts';
import type { Values } from '../../shared/http/specs.ts';
import { asksFor, refuseNotDone, type Satisfied } from './not-done.ts';

/** The most items of a batch. */
const ITEMS = 100;

/** A request without `type` for a key that is not being made. */
const NO_UPSERT = { type: 'a key is made at keys/{name}, not by using it' };

/**
 * A body as Vault takes it: no content type means JSON, none at all an empty object. What Transit has and this service has
 * not is refused, with `others`, the other fields that this route refuses.
 */
export function transitBody<Input>(
  shape: z.ZodType<Input>,
  others: Readonly<Record<string, string>> = {},
): InputReader<Input> {
  return jsonBody(shape, { isLenient: true, check: (body) => refuseNotDone(body, others) });
}

/** The same of what uses a key. */
export function usingBody<Input>(shape: z.ZodType<Input>): InputReader<Input> {
  return transitBody(shape, { ...NO_UPSERT, batch_input: 'one data key at a time' });
}

const fields = z.custom<object>((value) => typeof value === 'object' && value !== null && !Array.isArray(value));
const batch = z.object({ batch_input: z.array(z.unknown()).min(1).max(ITEMS) });

/** A body that holds one value of that shape, or a batch of 1 to 100 in `batch_input`, where each is looked at by itself. */
export function valuesBody<Input>(
  shape: z.ZodObject & z.ZodType<Input>,
  isSatisfied?: Satisfied,
): InputReader<Values<Input>> {
  const parse = (value: unknown): Input => {
    refuseNotDone(value, NO_UPSERT, isSatisfied);
    return parseShape<Input>(value, shape);
  };
  const outer = jsonBody(fields, { isLenient: true, check: (body) => refuseNotDone(body, NO_UPSERT, isSatisfied) });
  return {
    body: z.union([shape, z.object({ batch_input: z.array(shape).min(1).max(ITEMS) })]),
    refuses: outer.refuses,
    async read(request) {
      const given = await outer.read(request);
      if (!asksFor(given, 'batch_input')) return { one: parse(given) };
      const doubled = Object.keys(shape.shape).find((name) => asksFor(given, name));
      if (doubled !== undefined) throw malformed(`${doubled}: of a batch it goes in the items of batch_input`);
      return { several: parseShape(given, batch).batch_input.map((item) => () => parse(item)) };
    },
  };
}
