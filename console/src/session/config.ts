/** Where the service is, as `config.json` beside the page says it. */
export interface Config {
  readonly apiUrl: string;
}

/** Reads `config.json`. Throws a `TypeError` where it is not there or says nothing that is understood. */
export async function readConfig(): Promise<Config> {
  const response = await fetch('/config.json', { credentials: 'same-origin' });
  if (!response.ok) throw new TypeError('config.json is missing');
  const { api_url } = Object(await response.json());
  if (typeof api_url !== 'string') throw new TypeError('config.json has no api_url');
  return { apiUrl: api_url };
}
