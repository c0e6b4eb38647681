/** The OpenAPI document of a service with everything configured. */
export const DOCUMENT = new URL('../../docs/openapi.json', import.meta.url);

/** The source file that is made of it. */
export const TARGET = new URL('../src/api/generated.ts', import.meta.url);
