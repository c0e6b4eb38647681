import { z } from 'zod';

export interface Backend {
  /** The origin of the function, such as `https://host`. */
  readonly address: string;
  /** The audience (`aud`) of the gateway's ID token for the function. */
  readonly audience: string;
  readonly deadlineMs: number;
}

export interface Operation {
  readonly method: string;
  readonly template: string;
  readonly backend: Backend;
}

const PLACEHOLDER = /\$\{([a-z]+)\}/g;

const backend = z
  .object({
    address: z.url({ protocol: /^https?$/ }),
    jwt_audience: z.string(),
    path_translation: z.literal('APPEND_PATH_TO_ADDRESS'),
    deadline: z.number().positive(),
  })
  .transform(
    ({ address, jwt_audience, deadline }): Backend => ({
      address,
      audience: jwt_audience,
      deadlineMs: deadline * 1000,
    }),
  );

const document = z.object({
  swagger: z.literal('2.0'),
  paths: z.record(z.string(), z.record(z.string(), z.object({ 'x-google-backend': backend }))),
});

export function functionsOf(text: string): string[] {
  return [...new Set([...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name))];
}

/**
 * Returns the operations of the gateway's document. Replaces the placeholders in the document with the functions'
 * addresses. Throws if the document uses an unsupported feature.
 */
export function readOperations(text: string, addresses: Readonly<Record<string, string>>): Operation[] {
  const filled = text.replaceAll(PLACEHOLDER, (unknown, name: string) => addresses[name] ?? unknown);
  return Object.entries(document.parse(JSON.parse(filled)).paths).flatMap(([template, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      template,
      backend: operation['x-google-backend'],
    })),
  );
}
