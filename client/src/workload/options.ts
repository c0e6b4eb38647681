export interface WorkloadOptions {
  /** The ID of the API key, a UUID, which becomes the audience of the ID token. */
  readonly apiKeyId: string;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns the audience of ID tokens for the API key. Throws a `TypeError` unless its ID is a UUID. */
export function audienceOf({ apiKeyId }: WorkloadOptions): string {
  const id = String(apiKeyId).toLowerCase();
  if (!UUID.test(id)) throw new TypeError('apiKeyId must be the ID of an API key, a UUID');
  return `urn:uuid:${id}`;
}
