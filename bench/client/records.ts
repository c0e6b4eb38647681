import { randomBytes } from 'node:crypto';
import { DataKeys, type EncryptionService } from '../../client/src/index.ts';

const RECORD_LENGTH = 100;
/** Calls under way at once, where each is one to the service. */
const AT_ONCE = 64;

/** Records of 100 bytes that are encrypted, or decrypted, in a second. */
export async function compareRecords(
  service: EncryptionService,
  keyId: string,
  seconds: number,
): Promise<Map<string, number>> {
  const plaintext = randomBytes(RECORD_LENGTH);
  const cached = new DataKeys(service);
  const uncached = new DataKeys(service, { maxMessages: 1, maxKeys: 1 });
  const record = await cached.encrypt(keyId, plaintext);
  const ways: readonly [string, () => Promise<unknown>][] = [
    ['DataKeys.encrypt', () => cached.encrypt(keyId, plaintext)],
    ['DataKeys.decrypt', () => cached.decrypt(record)],
    ['DataKeys.encrypt, a data key for each record', () => uncached.encrypt(keyId, plaintext)],
    ['service.encrypt, over HTTP', () => service.encrypt(keyId, { plaintext: new Uint8Array(plaintext) })],
  ];
  const rates = new Map<string, number>();
  for (const [name, work] of ways) {
    await perSecond(work, seconds / 4);
    rates.set(name, await perSecond(work, seconds));
  }
  return rates;
}

async function perSecond(work: () => Promise<unknown>, seconds: number): Promise<number> {
  const startedAt = performance.now();
  const until = startedAt + seconds * 1000;
  let done = 0;
  const worker = async () => {
    while (performance.now() < until) {
      await work();
      done++;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return (done * 1000) / (performance.now() - startedAt);
}
