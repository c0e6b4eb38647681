import type { Answer } from '../../console/src/pages/reference/reference.ts';
import { contentOf, type DocumentedOperation, type OpenApi, schemaOf } from './document.ts';
import type { Describer } from './fields.ts';

/** Returns the field names of a successful answer, or an empty list if the answer is not one object. */
export function answerNames(document: OpenApi, { responses }: DocumentedOperation): string[] {
  const content = contentOf(document, successOf(responses)[1]);
  return content === undefined ? [] : Object.keys(schemaOf(document, content.schema).properties ?? {});
}

function successOf(responses: DocumentedOperation['responses']): [string, unknown] {
  return Object.entries(responses).find(([status]) => status.startsWith('2')) ?? ['', undefined];
}

/** Describes the successful answer of an operation. */
export function answerOf(document: OpenApi, describer: Describer, { responses }: DocumentedOperation): Answer {
  const [status, response] = successOf(responses);
  const content = contentOf(document, response);
  if (content === undefined) return { status, type: 'no body', fields: [] };
  const { description } = schemaOf(document, content.schema);
  const describedAs = description === undefined ? {} : { description };
  if (content.type === 'text/plain') return { status, type: 'text', ...describedAs, fields: [] };
  const fields = describer.inside(content.schema);
  const example = fields.length === 0 ? undefined : exampleAnswer(document, content.schema);
  return {
    status,
    ...describer.type(content.schema),
    ...describedAs,
    fields,
    ...(example !== undefined && { example }),
  };
}

/** Returns an example if the answer is an object or a list of objects. */
function exampleAnswer(document: OpenApi, part: unknown): string | undefined {
  const { examples, items } = schemaOf(document, part);
  if (examples !== undefined) return json(examples[0]);
  const [inList] = items === undefined ? [] : (schemaOf(document, items).examples ?? []);
  return inList === undefined ? undefined : json([inList]);
}

export function json(example: unknown): string {
  return JSON.stringify(example, null, 2);
}
