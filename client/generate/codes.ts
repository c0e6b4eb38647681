import { z } from 'zod';
import { type ApiDocument, dereference, operationsOf } from './document.ts';

const errorAnswer = z.object({
  content: z.object({
    'application/json': z.object({
      schema: z.object({ properties: z.object({ error: z.object({ enum: z.array(z.string()) }) }) }),
    }),
  }),
});

/** Every error code that an operation of the document can answer, in order of the alphabet. */
export function codesOf(document: ApiDocument): string[] {
  const answers = operationsOf(document).flatMap(({ operation }) => Object.values(operation.responses));
  const codes = answers.flatMap((answer) => {
    const found = errorAnswer.safeParse(dereference(document, answer));
    return found.data?.content['application/json'].schema.properties.error.enum ?? [];
  });
  return [...new Set([...codes, ...EVERYWHERE])].toSorted();
}

/** Where the answer is to a path or method that is no route, no operation lists its code. */
const EVERYWHERE = ['not_found', 'method_not_allowed'];
