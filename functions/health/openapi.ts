import { z } from 'zod';
import { openRoute } from '../../shared/http/pipeline.ts';

/** The OpenAPI document, made when it is first asked for, once. */
export class OpenApiDocument {
  readonly #describe: () => Promise<Record<string, unknown>>;
  #document: Promise<Record<string, unknown>> | undefined;

  constructor(describe: () => Promise<Record<string, unknown>>) {
    this.#describe = describe;
  }

  read(): Promise<Record<string, unknown>> {
    this.#document ??= this.#describe();
    return this.#document;
  }
}

/** What it takes to answer the document. */
export interface OpenApiNeeds {
  readonly document: OpenApiDocument;
}

export const openApiRoute = openRoute({
  id: 'openapi',
  path: '/v1/openapi.json',
  summary: 'This document',
  statuses: [200],
  answer: z.record(z.string(), z.unknown()).meta({ id: 'OpenApiDocument' }),
  respond: async ({ document }: OpenApiNeeds) => ({ status: 200, body: await document.read() }),
});
