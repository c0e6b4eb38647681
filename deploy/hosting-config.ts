import { z } from 'zod';
import type { HeaderRule } from './docs-headers.ts';

const project = z.object({ hosting: z.looseObject({ public: z.string(), headers: z.array(z.unknown()).default([]) }) });

/** The placeholders in firebase.json for the origins of the service and of the identity provider. */
const API = 'https://api.invalid';
const ISSUER = 'https://issuer.invalid';

/**
 * Returns the hosting settings of firebase.json, for the folder `console` beside the file. In the content security
 * policy, the origins of `api` and `issuer` replace the placeholders. `more` are headers for parts of the site, which
 * replace those of firebase.json. Throws an `Error` if a placeholder is missing.
 */
export function hostingConfig(firebase: string, api: string, issuer: string, more: readonly HeaderRule[] = []): string {
  const { hosting } = project.parse(JSON.parse(firebase));
  const text = JSON.stringify(
    { hosting: { ...hosting, public: 'console', headers: [...hosting.headers, ...more] } },
    null,
    2,
  );
  for (const name of [API, ISSUER])
    if (!text.includes(name)) throw new Error(`firebase.json does not contain the placeholder ${name}`);
  return `${text.replaceAll(API, new URL(api).origin).replaceAll(ISSUER, new URL(issuer).origin)}\n`;
}

/** Returns the OpenAPI document of a deployment, which names the service's address. */
export function withServer(document: string, api: string): string {
  const renamed = {
    ...z.looseObject({ servers: z.array(z.unknown()) }).parse(JSON.parse(document)),
    servers: [{ url: api }],
  };
  return `${JSON.stringify(renamed)}\n`;
}
