import { z } from 'zod';
import { type ApiDocument, dereference, operationsOf } from './document.ts';

const errorAnswer = z.object({
  content: z.object({
    'application/json': z.object({
      schema: z.object({ properties: z.object({ error: z.object({ enum: z.array(z.string()) }) }) }),
    }),
  }),
});

/** Returns every error code that an operation can return, in alphabetical order. */
export function codesOf(document: ApiDocument): string[] {
  const answers = operationsOf(document).flatMap(({ operation }) => Object.values(operation.responses));
  const codes = answers.flatMap((answer) => {
    const found = errorAnswer.safeParse(dereference(document, answer));
    return found.data?.content['application/json'].schema.properties.error.enum ?? [];
  });
  return [...new Set([...codes, ...EVERYWHERE])].toSorted();
}

/** The codes for an unknown path or an unsupported method. No operation in the document lists these codes. */
const EVERYWHERE = ['not_found', 'method_not_allowed'];
