import { PATHS } from '../address/paths.ts';

/** The address of the documentation, if this site has it. */
let docsUrl: string | undefined;

export interface Config {
  readonly apiUrl: string;
}

/** Thrown if the site that the console comes from does not answer. */
export class SiteUnreached extends Error {
  override readonly name = 'SiteUnreached';
}

/** Reads `config.json`. Throws a `TypeError` if the file or its `api_url` is missing, or {@link SiteUnreached}. */
export async function readConfig(): Promise<Config> {
  const response = await fetch('/config.json', { credentials: 'same-origin' }).catch((cause: unknown) => {
    throw new SiteUnreached('the console’s own site did not answer', { cause });
  });
  if (!response.ok) throw new TypeError('config.json is missing');
  const { api_url, docs_url } = Object(await response.json());
  if (typeof api_url !== 'string') throw new TypeError('config.json has no api_url');
  docsUrl = typeof docs_url === 'string' ? docs_url : undefined;
  return { apiUrl: api_url };
}

/** Returns where an error code is explained: in the documentation if this site has it, otherwise in the API reference. */
export function helpFor(code: string): string {
  return docsUrl === undefined ? `${PATHS.reference}#${code}` : `${docsUrl}troubleshooting.html#${code}`;
}
