/** The OpenAPI document of a deployment with all features configured. */
export const DOCUMENT = new URL('../../docs/openapi.json', import.meta.url);

/** The generated source file. */
export const TARGET = new URL('../src/api/generated.ts', import.meta.url);
