import {
  type AuditEvent,
  decryptStream,
  EncryptionService,
  EncryptionServiceError,
  type ErrorCode,
  encryptStream,
} from 'encryption-service-client';

const service = new EncryptionService({ url: 'https://api.example.com', apiKey: 'esk_' });

/** Imports a data key into Web Crypto. The import must compile without a copy of the data key. */
export async function dataKey(keyId: string): Promise<unknown> {
  const { dek } = await service.unwrap(keyId, { wrapped: new Uint8Array(60), aad: null });
  return crypto.subtle.importKey('raw', dek, 'AES-GCM', false, ['encrypt']);
}

export async function ages(signal: AbortSignal): Promise<number[]> {
  const keys = await service.listKeys({ signal, timeoutMs: 1_000 });
  return keys.map(({ created_at, destroy_after }) => created_at.getTime() - (destroy_after?.getTime() ?? 0));
}

export async function failures(since: Date): Promise<AuditEvent[]> {
  const events: AuditEvent[] = [];
  for await (const event of service.readAudit({ since, result: 'error' })) events.push(event);
  return events;
}

export const encrypted = (file: ReadableStream<Uint8Array>, keyId: string) =>
  file.pipeThrough(encryptStream(service, keyId));

export const unpacked = (file: ReadableStream<Uint8Array>) =>
  file.pipeThrough(decryptStream(service)).pipeThrough(new DecompressionStream('gzip'));

export const packed = (file: ReadableStream<Uint8Array<ArrayBuffer>>, keyId: string) =>
  file.pipeThrough(new CompressionStream('gzip')).pipeThrough(encryptStream(service, keyId));

export const withFetch = (send: typeof fetch) => new EncryptionService({ url: 'https://api.example.com', fetch: send });

export function isTemporary(error: unknown): boolean {
  return error instanceof EncryptionServiceError && isTemporaryCode(error.code);
}

function isTemporaryCode(code: ErrorCode): boolean {
  switch (code) {
    case 'rate_limited':
    case 'unavailable':
    case 'unreachable':
      return true;
    default:
      return false;
  }
}

// @ts-expect-error: text is not accepted as bytes
export const wrong = () => service.encrypt('', { plaintext: 'text' });
// @ts-expect-error: no error has this code
export const isWrong = (error: EncryptionServiceError) => error.code === 'no_such_code';
