import { z } from 'zod';

const project = z.object({ hosting: z.looseObject({ public: z.string() }) });

/** The placeholders in `firebase.json` for the origins of the service and of the identity provider. */
const API = 'https://api.invalid';
const ISSUER = 'https://issuer.invalid';

/**
 * The hosting part of `firebase.json`, for a folder that is beside the file, with the origins of these two addresses in its
 * policy. Throws where the policy does not name both.
 */
export function hostingConfig(firebase: string, api: string, issuer: string): string {
  const { hosting } = project.parse(JSON.parse(firebase));
  const text = JSON.stringify({ hosting: { ...hosting, public: 'console' } }, null, 2);
  for (const name of [API, ISSUER])
    if (!text.includes(name)) throw new Error(`firebase.json does not contain the placeholder ${name}`);
  return `${text.replaceAll(API, new URL(api).origin).replaceAll(ISSUER, new URL(issuer).origin)}\n`;
}
