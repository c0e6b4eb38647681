import { z } from 'zod';
import { BODY_BYTES, jsonBody, malformed, parseShape } from '../../shared/http/body.ts';
import type { InputReader } from '../../shared/http/input.ts';
import type { Warnings } from './envelope.ts';
import { KEY_TYPE } from './key-answer.ts';
import { isSet, refuseUnsupported, type Satisfied, unknownIn, warningsOf } from './unsupported-fields.ts';

/** The most items in a batch. */
const ITEMS = 100;

/** Whether the field is `type` and names the only type of keys. */
export const namesKeyType: Satisfied = (given, name) => name === 'type' && Reflect.get(given, name) === KEY_TYPE;

/** Routes that use a key refuse `type`, because they do not create a missing key, unlike Vault's routes. */
const NO_UPSERT = { type: 'create the key with POST keys/{name} first' };

const fields = z.custom<object>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
);

/** The fields of a body, and the names of fields that are not known. */
export interface Given<Input> {
  readonly fields: Input;
  readonly warnings: Warnings;
}

/**
 * Reads a body in Vault's format: JSON of any content type, where an empty body means an empty object. Refuses
 * unsupported fields of Transit, and the fields in `others`.
 */
export function transitBody<Input>(
  shape: z.ZodObject & z.ZodType<Input>,
  others: Readonly<Record<string, string>> = {},
  isSatisfied?: Satisfied,
): InputReader<Given<Input>> {
  const outer = jsonBody(fields, { isLenient: true, check: (body) => refuseUnsupported(body, others, isSatisfied) });
  return {
    body: shape,
    isBodyOptional: shape.safeParse({}).success,
    refuses: outer.refuses,
    async read(request) {
      const given = await outer.read(request);
      return { fields: parseShape<Input>(given, shape), warnings: warningsOf(unknownIn(given, shape)) };
    },
  };
}

/** Like {@link transitBody}, for operations that use a key. */
export function usingBody<Input>(shape: z.ZodObject & z.ZodType<Input>): InputReader<Given<Input>> {
  return transitBody(shape, { ...NO_UPSERT, batch_input: 'request one data key at a time' });
}

const IN_BATCH = `must have 1 to ${ITEMS} items`;
const batch = z.object({ batch_input: z.array(z.unknown()).min(1, IN_BATCH).max(ITEMS, IN_BATCH) });
const referenceField = z
  .string()
  .meta({ maxLength: BODY_BYTES })
  .nullish()
  .describe('Returned with the result of this value.');

export interface Value<Input> {
  readonly read: () => Input;
  /** The client's own name for an item of a batch. */
  readonly reference?: string | undefined;
}

export interface Values<Input> {
  readonly isBatch: boolean;
  readonly values: readonly Value<Input>[];
  readonly warnings: Warnings;
}

/** Reads one value, or a batch of 1 to 100 values in `batch_input`. Each item is parsed separately. */
export function valuesBody<Input>(
  shape: z.ZodObject & z.ZodType<Input>,
  isSatisfied?: Satisfied,
): InputReader<Values<Input>> {
  const item = z.object({ ...shape.shape, reference: referenceField });
  const outer = jsonBody(fields, { isLenient: true, check: (body) => refuseUnsupported(body, NO_UPSERT, isSatisfied) });
  const readItem = (value: unknown): Value<Input> => {
    const reference = referenceField.safeParse(Object(value).reference);
    const read = () => {
      refuseUnsupported(value, NO_UPSERT, isSatisfied);
      if (!reference.success) throw malformed('reference must be a string');
      return parseShape<Input>(value, shape);
    };
    return { read, reference: reference.data ?? undefined };
  };
  return {
    body: z.union([
      shape,
      z.object({ batch_input: z.array(item).min(1).max(ITEMS).describe('The values. Each is processed separately.') }),
    ]),
    refuses: outer.refuses,
    async read(request) {
      const given = await outer.read(request);
      if (!isSet(given, 'batch_input')) {
        const value = parseShape<Input>(given, shape);
        return { isBatch: false, values: [{ read: () => value }], warnings: warningsOf(unknownIn(given, shape)) };
      }
      const doubled = Object.keys(shape.shape).find((name) => isSet(given, name));
      if (doubled !== undefined) throw malformed(`in a batch, ${doubled} belongs in the items of batch_input`);
      const items = parseShape(given, batch).batch_input;
      const unknownInItems = items.flatMap((one) =>
        fields.safeParse(one).success ? unknownIn(Object(one), item) : [],
      );
      const warnings = warningsOf([...unknownIn(given, shape), ...unknownInItems]);
      return { isBatch: true, values: items.map(readItem), warnings };
    },
  };
}
