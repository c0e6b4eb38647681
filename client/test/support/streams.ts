import { ByteReader } from '../../src/files/byte-reader.ts';

/** Returns a stream of the bytes, in chunks of `pieceLength` bytes. */
export function streamOf(bytes: Uint8Array, pieceLength = 65_536): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at + pieceLength));
      at += pieceLength;
    },
  });
}

/** Returns a reader of the bytes, in chunks of `pieceLength` bytes. */
export function readerOf(bytes: Uint8Array, pieceLength?: number): ByteReader {
  return new ByteReader(streamOf(bytes, pieceLength));
}

/** Reads a stream until it ends or fails. Returns its output, and the error if it failed. */
export async function drain(source: AsyncIterable<Uint8Array>): Promise<{ output: Buffer; error?: unknown }> {
  const parts: Uint8Array[] = [];
  try {
    for await (const part of source) parts.push(part);
  } catch (error) {
    return { output: Buffer.concat(parts), error };
  }
  return { output: Buffer.concat(parts) };
}
