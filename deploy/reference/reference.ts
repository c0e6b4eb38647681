import type { Answer, Operation, Reference, Shape } from '../../console/src/pages/reference/reference.ts';
import { ADVICE } from '../../shared/error-advice.ts';
import { CATALOGUE, ERROR_CODES } from '../../shared/errors.ts';
import { general, isForAnyPerson, ownCodes } from './codes.ts';
import { curlLine } from './curl.ts';
import {
  contentOf,
  type DocumentedOperation,
  type Found,
  nameOf,
  type OpenApi,
  operationsOf,
  schemaOf,
} from './document.ts';
import { exampleOf, variables } from './examples.ts';
import { Describer } from './fields.ts';
import { libraryLine, libraryMethods } from './library.ts';

/** Paths that clients do not call, so that they have no example. */
const NOT_FOR_CLIENTS = '/v1/webhooks/';

/** The API reference, made from the OpenAPI document and the methods of the client library. */
export function referenceOf(document: OpenApi): Reference {
  const shared = sharedShapes(document);
  const describer = new Describer(document, shared);
  const found = operationsOf(document);
  const methods = libraryMethods();

  const describe = (one: Found): Operation => {
    const { path, operation } = one;
    const { operationId: id, 'x-audit-operation': audited } = operation;
    const example = exampleOf(document, one);
    const method = methods.get(id);
    const body = contentOf(document, operation.requestBody ?? {})?.schema;
    return {
      id,
      title: operation.summary,
      methods: found.filter((other) => other.path === path && isTwin(other, one)).map((other) => other.method),
      path,
      description: operation.description,
      accepts: acceptsOf(operation),
      ...(audited !== undefined && { audited }),
      parameters: operation.parameters.flatMap(({ name, schema, required = false }) =>
        describer.field(name, schema, required),
      ),
      body: body === undefined ? [] : describer.fields(body),
      ...bodyNoteOf(document, body),
      answer: answerOf(document, describer, operation),
      codes: ownCodes(document, one),
      ...(!path.startsWith(NOT_FOR_CLIENTS) && { curl: curlLine(one, example) }),
      ...(method !== undefined && { library: libraryLine(id, method, example, answerNames(document, operation)) }),
    };
  };

  const shown = found.filter(
    (one) =>
      !found.some((other) => other.path === one.path && other !== one && isTwin(one, other) && other.method === 'POST'),
  );
  return {
    groups: document.tags.map(({ name, description }) => ({
      title: name,
      description,
      operations: shown.filter(({ operation }) => operation.tags[0] === name).map(describe),
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

/** Whether two operations of a path are the same one by another method: Vault's clients send `PUT` for `POST`. */
function isTwin(one: Found, other: Found): boolean {
  const idOf = ({ operation }: Found) => operation.operationId.replace(/_put$/, '');
  return idOf(one) === idOf(other);
}

/** The names of the object schemas that several operations, or an operation and another schema, refer to. */
function sharedShapes(document: OpenApi): ReadonlySet<string> {
  const operations = operationsOf(document).filter(({ operation }) => !operation.operationId.endsWith('_put'));
  const { schemas } = document.components;
  const referring = [...operations, ...Object.values(schemas)].flatMap((part) => [...new Set(namesIn(part))]);
  const isShared = (name: string) => referring.filter((other) => other === name).length > 1;
  return new Set(
    Object.keys(schemas).filter((name) => isShared(name) && 'properties' in schemaOf(document, schemas[name])),
  );
}

/** The names of the schemas that a part of the document refers to. */
function namesIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  return [nameOf(part) ?? [], ...Object.values(part).map(namesIn)].flat();
}

/** Who may call an operation, in words. */
function acceptsOf(operation: DocumentedOperation): string {
  const { security } = operation;
  const accepted: string[] = [];
  const [apiKey] = security.flatMap(({ bearerAuth }) => (bearerAuth ? [bearerAuth] : []));
  if (apiKey !== undefined)
    accepted.push(apiKey[0] === undefined ? 'any API key' : `an API key with the action \`${apiKey[0]}\``);
  const people = security.flatMap(({ consoleAuth }) => (consoleAuth ? [consoleAuth] : []));
  const roles = people.flat().map((role) => `\`${role}\``);
  if (roles.length > 0) accepted.push(`a person with the role ${roles.join(' or ')}`);
  else if (people.length > 0)
    accepted.push(isForAnyPerson(operation) ? 'any signed-in person' : 'a person with any role');
  return accepted.length === 0 ? 'no credential' : accepted.join(', or ');
}

/** Which fields of a body exclude each other, as a sentence. */
function bodyNoteOf(document: OpenApi, body: unknown): Pick<Operation, 'bodyNote'> {
  const { anyOf = [] } = body === undefined ? {} : schemaOf(document, body);
  const choices = anyOf.map((choice) =>
    schemaOf(document, choice)
      .required?.map((name) => `\`${name}\``)
      .join(', '),
  );
  return choices.length === 0 ? {} : { bodyNote: `Send either ${choices.join(' or ')}.` };
}

/** The names of the fields of an answer that is one object. */
function answerNames(document: OpenApi, { responses }: DocumentedOperation): string[] {
  const content = contentOf(document, successOf(responses)[1]);
  return content === undefined ? [] : Object.keys(schemaOf(document, content.schema).properties ?? {});
}

function successOf(responses: DocumentedOperation['responses']): [string, unknown] {
  return Object.entries(responses).find(([status]) => status.startsWith('2')) ?? ['', undefined];
}

function answerOf(document: OpenApi, describer: Describer, { responses }: DocumentedOperation): Answer {
  const [status, response] = successOf(responses);
  const content = contentOf(document, response);
  if (content === undefined) return { status, type: 'no body', fields: [] };
  const { description } = schemaOf(document, content.schema);
  const said = description === undefined ? {} : { description };
  if (content.type === 'text/plain') return { status, type: 'text', ...said, fields: [] };
  const fields = describer.inside(content.schema);
  const example = fields.length === 0 ? undefined : exampleAnswer(document, content.schema);
  return { status, ...describer.type(content.schema), ...said, fields, ...(example !== undefined && { example }) };
}

/** The example of an answer that is an object or a list of objects. */
function exampleAnswer(document: OpenApi, part: unknown): string | undefined {
  const { examples, items } = schemaOf(document, part);
  if (examples !== undefined) return json(examples[0]);
  const [inList] = items === undefined ? [] : (schemaOf(document, items).examples ?? []);
  return inList === undefined ? undefined : json([inList]);
}

function json(example: unknown): string {
  return JSON.stringify(example, null, 2);
}
