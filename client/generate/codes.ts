import { z } from 'zod';
import { type ApiDocument, dereference, operationsOf } from './document.ts';

const errorAnswer = z.object({
  content: z.object({
    'application/json': z.object({
      schema: z.object({ properties: z.object({ error: z.object({ enum: z.array(z.string()) }) }) }),
    }),
  }),
});

/** Returns the HTTP status of every error code that an operation can return, in alphabetical order of the codes. */
export function codesOf(document: ApiDocument): Record<string, number> {
  const answers = operationsOf(document).flatMap(({ operation }) => Object.entries(operation.responses));
  const codes = answers.flatMap(([status, answer]) => {
    const found = errorAnswer.safeParse(dereference(document, answer));
    const listed = found.data?.content['application/json'].schema.properties.error.enum ?? [];
    return listed.map((code): [string, number] => [code, Number(status)]);
  });
  return Object.fromEntries([...codes, ...EVERYWHERE].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** The codes for an unknown path or an unsupported method. No operation in the document lists these codes. */
const EVERYWHERE: readonly [string, number][] = [
  ['not_found', 404],
  ['method_not_allowed', 405],
];
