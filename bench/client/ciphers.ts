import { inflateSync } from 'node:zlib';
import { Decrypter } from 'age-encryption';
import * as vectors from 'cctv-age';
import { ByteReader } from '../../client/src/files/byte-reader.ts';
import { inJavaScript, makeChaCha20Poly1305 } from '../../client/src/files/chacha20-poly1305.ts';
import { readHeader } from '../../client/src/files/header.ts';
import { openPayload } from '../../client/src/files/payload.ts';

const ROUNDS = 7;

/** Processor time for opening a published file of 16 MiB, by age's own library and by ours, in turn: MB/s, the median. */
export async function compareCiphers(): Promise<Map<string, number>> {
  const { file, identity, fileKey } = largest();
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  const ours = (makeCipher: typeof inJavaScript) => async () => {
    const input = new ByteReader(streamOf(file));
    await readHeader(input);
    let length = 0;
    for await (const chunk of openPayload(fileKey, input, makeCipher)) length += chunk.length;
    return length;
  };
  const ways: readonly [string, () => Promise<number>][] = [
    ['age-encryption', async () => lengthOf(await decrypter.decrypt(streamOf(file)))],
    ['ours, JavaScript', ours(inJavaScript)],
    ['ours, OpenSSL', ours(makeChaCha20Poly1305)],
  ];
  const rates = new Map(ways.map(([name]) => [name, [] as number[]]));
  for (let round = -1; round < ROUNDS; round++) {
    for (const [name, open] of ways) {
      const before = process.cpuUsage();
      const length = await open();
      const { user, system } = process.cpuUsage(before);
      if (round >= 0) rates.get(name)?.push(length / (user + system));
    }
  }
  return new Map([...rates].map(([name, all]) => [name, median(all)]));
}

/** The largest of the published files that open. */
function largest() {
  const bytes = Buffer.from(vectors.stream_258_chunks ?? []);
  const end = bytes.indexOf('\n\n');
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(bytes.subarray(0, end).toString())?.[1] ?? '';
  const file = new Uint8Array(inflateSync(bytes.subarray(end + 2)));
  return { file, identity: field('identity'), fileKey: Buffer.from(field('file key'), 'hex') };
}

/** The file as it comes from a disk. */
function streamOf(file: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= file.length) return controller.close();
      controller.enqueue(file.subarray(at, at + 65_536));
      at += 65_536;
    },
  });
}

async function lengthOf(source: AsyncIterable<Uint8Array>): Promise<number> {
  let length = 0;
  for await (const some of source) length += some.length;
  return length;
}

function median(all: readonly number[]): number {
  return all.toSorted((one, other) => one - other)[Math.floor(all.length / 2)] ?? Number.NaN;
}
