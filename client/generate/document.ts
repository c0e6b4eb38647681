import { z } from 'zod';

const parameter = z.looseObject({ name: z.string(), in: z.string(), schema: z.unknown() });

const operation = z.looseObject({
  operationId: z.string(),
  parameters: z.array(parameter).optional(),
  requestBody: z.unknown().optional(),
  security: z.array(z.unknown()).optional(),
  responses: z.record(z.string(), z.unknown()),
});

/** The parts of an OpenAPI document that the generator uses. Parsing keeps all other parts unchanged. */
export const apiDocument = z.looseObject({
  info: z.looseObject({ version: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
});

export type ApiDocument = z.output<typeof apiDocument>;
export type Operation = z.output<typeof operation>;

export interface Found {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

/**
 * The paths that are not for clients: those for the payment provider, and those for programs that were written for
 * Vault's API.
 */
const NOT_FOR_CLIENTS = ['/v1/webhooks/', '/v1/transit/', '/v1/auth/'];

/** Returns every operation that is meant for clients, in the document's order. */
export function operationsOf({ paths }: ApiDocument): Found[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  return all.filter(({ path }) => !NOT_FOR_CLIENTS.some((prefix) => path.startsWith(prefix)));
}

/** Returns the part of the document that a `$ref` points to (RFC 6901). Returns a part without a `$ref` unchanged. */
export function dereference(document: unknown, part: unknown): unknown {
  const reference = Object(part).$ref;
  if (typeof reference !== 'string') return part;
  const steps = reference.slice(2).split('/');
  return steps.reduce<unknown>((at, step) => Object(at)[step.replaceAll('~1', '/').replaceAll('~0', '~')], document);
}
