import type { Operation, Reference, Shape } from '../../console/src/pages/reference/reference.ts';
import { ADVICE } from '../../shared/error-advice.ts';
import { CATALOGUE, ERROR_CODES } from '../../shared/errors.ts';
import { credentialOf, general, ownCodes } from './codes.ts';
import { contentOf, type Found, nameOf, type OpenApi, operationsOf, schemaOf } from './document.ts';
import { exampleOf, variables } from './examples.ts';
import { answerNames, answerOf, Describer, json } from './fields.ts';
import { curlLine, libraryLine, libraryMethods, pythonLine } from './samples.ts';

/** Returns the names of the object schemas that more than one operation or schema refers to. */
function sharedShapes(document: OpenApi): ReadonlySet<string> {
  const { schemas } = document.components;
  const referring = [...operationsOf(document), ...Object.values(schemas)].flatMap((part) => [
    ...new Set(namesIn(part)),
  ]);
  const isShared = (name: string) => referring.filter((other) => other === name).length > 1;
  return new Set(
    Object.keys(schemas).filter((name) => isShared(name) && 'properties' in schemaOf(document, schemas[name])),
  );
}

function namesIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  return [nameOf(part) ?? [], ...Object.values(part).map(namesIn)].flat();
}

/** The paths that clients do not call. The reference has no examples for them. */
const NOT_FOR_CLIENTS = '/v1/webhooks/';

export function referenceOf(document: OpenApi): Reference {
  const shared = sharedShapes(document);
  const describer = new Describer(document, shared);
  const found = operationsOf(document);
  const library = libraryMethods();

  const describe = (one: Found): Operation => {
    const { path, methods, operation } = one;
    const { operationId: id, 'x-audit-operation': audited } = operation;
    const example = exampleOf(document, one);
    const method = library.get(id);
    const body = contentOf(document, operation.requestBody ?? {})?.schema;
    return {
      id,
      title: operation.summary,
      methods,
      path,
      description: operation.description,
      credential: credentialOf(operation),
      ...(audited !== undefined && { audited }),
      parameters: operation.parameters.flatMap(({ name, schema, required = false }) =>
        describer.field(name, schema, required),
      ),
      body: body === undefined ? [] : describer.fields(body),
      ...bodyNoteOf(document, body),
      answer: answerOf(document, describer, operation),
      codes: ownCodes(document, one),
      ...(!path.startsWith(NOT_FOR_CLIENTS) && { curl: curlLine(one, example), python: pythonLine(one, example) }),
      ...(method !== undefined && { library: libraryLine(id, method, example, answerNames(document, operation)) }),
    };
  };

  return {
    groups: document.tags.map(({ name, description }) => ({
      title: name,
      description,
      operations: found.filter(({ operation }) => operation.tags[0] === name).map(describe),
    })),
    objects: [...shared].map((name): Shape => {
      const schema = { $ref: `#/components/schemas/${name}` };
      const { description, examples = [] } = schemaOf(document, schema);
      const example = json(examples[0]);
      return { name, ...(description !== undefined && { description }), fields: describer.fields(schema), example };
    }),
    codes: ERROR_CODES.map((code) => ({ code, status: CATALOGUE[code].status, ...ADVICE[code] })),
    general,
    variables,
  };
}

/** Returns a sentence that says which fields of a body exclude each other, if any do. */
function bodyNoteOf(document: OpenApi, body: unknown): Pick<Operation, 'bodyNote'> {
  const { anyOf = [] } = body === undefined ? {} : schemaOf(document, body);
  const choices = anyOf.map((choice) =>
    schemaOf(document, choice)
      .required?.map((name) => `\`${name}\``)
      .join(', '),
  );
  return choices.length === 0 ? {} : { bodyNote: `Send either ${choices.join(' or ')}.` };
}
