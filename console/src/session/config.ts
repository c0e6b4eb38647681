export interface Config {
  readonly apiUrl: string;
}

/** Reads `config.json`. Throws a `TypeError` if the file or its `api_url` is missing. */
export async function readConfig(): Promise<Config> {
  const response = await fetch('/config.json', { credentials: 'same-origin' });
  if (!response.ok) throw new TypeError('config.json is missing');
  const { api_url } = Object(await response.json());
  if (typeof api_url !== 'string') throw new TypeError('config.json has no api_url');
  return { apiUrl: api_url };
}
