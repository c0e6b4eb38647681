import { DataKeys, decryptStream, EncryptionService, EncryptionServiceError, encryptStream } from '../../src/index.ts';

/** The input of each check. The checks run in the browser page, and their results must be JSON. */
interface Given {
  readonly url: string;
  readonly apiKey: string;
  readonly accessToken: string;
  readonly keyId: string;
}

const serviceOf = ({ url, apiKey }: Given) => new EncryptionService({ url, apiKey });
const signedIn = ({ url, accessToken }: Given) => new EncryptionService({ url, accessToken: () => accessToken });
const utf8 = (text: string) => new TextEncoder().encode(text);

async function failureOf(call: Promise<unknown>) {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof EncryptionServiceError))
    throw new Error(`the call did not fail with an EncryptionServiceError: ${error}`);
  const { code, status, requestId, retryable } = error;
  return { code, status, requestId, retryable };
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const reader = stream.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for (let part = await reader.read(); !part.done; part = await reader.read()) chunks.push(Uint8Array.from(part.value));
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

const isSame = (one: Uint8Array, other: Uint8Array) =>
  one.length === other.length && one.every((byte, at) => byte === other[at]);

const checks = {
  async values(given: Given) {
    const service = serviceOf(given);
    const plaintext = new Uint8Array(65_536).map((_, at) => at % 251);
    const { ciphertext } = await service.encrypt(given.keyId, { plaintext, aad: utf8('order 42') });
    const opened = await service.decrypt(given.keyId, { ciphertext, aad: utf8('order 42') });
    const { created_at } = await service.getKey(given.keyId);
    return { isSame: isSame(opened.plaintext, plaintext), isDate: created_at instanceof Date };
  },

  async dataKeyForWebCrypto(given: Given) {
    const { dek = new Uint8Array() } = await serviceOf(given).wrap(given.keyId);
    const key = await crypto.subtle.importKey('raw', dek, 'AES-GCM', false, ['encrypt']);
    return key.algorithm;
  },

  refusal: (given: Given) => failureOf(serviceOf(given).decrypt(given.keyId, { ciphertext: Uint8Array.of(1) })),

  notReachable: (given: Given & { readonly nowhere: string }) =>
    failureOf(serviceOf({ ...given, url: given.nowhere }).rotateKey(given.keyId)),

  aborted: (given: Given) => failureOf(serviceOf(given).listKeys({ signal: AbortSignal.abort() })),

  async pages(given: Given) {
    const events = signedIn(given).readAudit({ key_id: given.keyId, limit: 2 });
    const ids: string[] = [];
    for await (const { id } of events) ids.push(id);
    return { events: ids.length, different: new Set(ids).size };
  },

  async file(given: Given) {
    const service = serviceOf(given);
    const options = { context: utf8('backup') };
    const plain = new Uint8Array(300_000).map((_, at) => at % 253);
    const sealed = await bytesOf(streamOf(plain).pipeThrough(encryptStream(service, given.keyId, options)));
    const opened = await bytesOf(streamOf(sealed).pipeThrough(decryptStream(service, options)));
    const damaged = sealed.map((byte, at) => (at === sealed.length - 1 ? byte ^ 1 : byte));
    const refused = bytesOf(streamOf(damaged).pipeThrough(decryptStream(service, options)));
    return {
      isSame: isSame(opened, plain),
      code: await refused.then(
        () => 'none',
        (error: unknown) => Object(error).code,
      ),
    };
  },

  async record(given: Given) {
    const records = new DataKeys(serviceOf(given));
    const sealed = await records.encrypt(given.keyId, utf8('4111'), { context: utf8('card') });
    return new TextDecoder().decode(await records.decrypt(sealed, { context: utf8('card') }));
  },
};

Object.assign(globalThis, { checks });
