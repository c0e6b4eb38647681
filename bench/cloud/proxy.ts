/*
 * An HTTP/2 proxy that counts what Firestore bills and delays each call, as if Firestore and Cloud KMS were far away:
 * node bench/cloud/proxy.ts '{"links":[{"port","to"}],"delays":true}'. The parent process can read the counts, and turn
 * stalls on and off.
 */
/* The parts of gRPC and Protocol Buffers that are needed to count what Firestore bills. */
import http2 from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { makeGauge } from '../../shared/base/gauge.ts';

/** The length of a gRPC frame's head: a compression flag (one byte) and the length of the message (four bytes). */
const FRAME_HEAD_BYTES = 5;
/** The tag of `writes` in a CommitRequest: field 2, a message. */
const WRITES_TAG = 0x12;
/** The tag of `document` in a RunQueryResponse: field 1, a message. Fields are sent in the order of their numbers. */
const DOCUMENT_TAG = 0x0a;
const LENGTH_DELIMITED = 2;

/** Returns the messages that one side of a call sent. */
function framesOf(bytes: Buffer): Buffer[] {
  const messages: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + FRAME_HEAD_BYTES + bytes.readUInt32BE(at + 1);
    messages.push(bytes.subarray(at + FRAME_HEAD_BYTES, end));
    at = end;
  }
  return messages;
}

/** Returns whether a RunQueryResponse has a document. */
function hasDocument(response: Buffer): boolean {
  return response[0] === DOCUMENT_TAG;
}

/** Returns the number of writes in a CommitRequest. Throws if a field is not length-delimited. */
function writesOf(commit: Buffer): number {
  let writes = 0;
  for (let at = 0; at < commit.length; ) {
    const tag = commit.readUInt8(at++);
    if ((tag & 7) !== LENGTH_DELIMITED)
      throw new Error(`a commit has a field that is not length-delimited: tag ${tag}`);
    let length = 0;
    for (let shift = 0, more = true; more; shift += 7) {
      const byte = commit.readUInt8(at++);
      length += (byte & 0x7f) << shift;
      more = byte > 0x7f;
    }
    at += length;
    if (tag === WRITES_TAG) writes++;
  }
  return writes;
}

/** Log-normal delays in milliseconds, by the last part of a call's path. `other` covers all KMS calls. */
const DELAYS = {
  BatchGetDocuments: { p50: 7, p99: 45 },
  Commit: { p50: 15, p99: 90 },
  RunQuery: { p50: 10, p99: 60 },
  other: { p50: 20, p99: 100 },
} as const;
/** The number of standard deviations between the median and the p99 of a normal distribution. */
const P99_DEVIATIONS = 2.326;
const STALLED_SHARE = 0.002;
const STALL_MS = 2_000;
/** Google's limit on concurrent streams per connection. */
const STREAMS = 100;
const WINDOW = 1 << 20;

const { links, delays } = z
  .object({ links: z.array(z.object({ port: z.int(), to: z.string() })), delays: z.boolean() })
  .parse(JSON.parse(process.argv[2] ?? ''));
const order = z.union([
  z.object({ id: z.number(), measure: z.literal(true) }),
  z.object({ id: z.number(), stalls: z.boolean() }),
]);

const counts = { documents: 0, writes: 0, kms: 0, calls: 0, stalled: 0 };
let stalls = false;

for (const { port, to } of links) {
  const upstream = http2.connect(`http://${to}`, { settings: { initialWindowSize: WINDOW } });
  const server = http2.createServer({ settings: { maxConcurrentStreams: STREAMS, initialWindowSize: WINDOW } });
  server.on('session', (session) => session.on('error', () => undefined));
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    void pass(stream, headers, upstream).catch(() => stream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
}

const gauge = makeGauge();
process.on('disconnect', () => process.exit());
process.on('message', (message) => {
  const command = order.parse(message);
  if ('stalls' in command) stalls = command.stalls;
  process.send?.({ id: command.id, ok: { ...gauge(), trips: counts } });
});
process.send?.({ ready: true });

/** Forwards a call. Waits for a random share of the delay before the call, and for the rest before the answer. */
async function pass(
  stream: http2.ServerHttp2Stream,
  headers: http2.IncomingHttpHeaders,
  upstream: http2.ClientHttp2Session,
): Promise<void> {
  const method = String(headers[':path']).split('/').at(-1) ?? '';
  const delayMs = delays ? drawDelay(method) : 0;
  const beforeMs = Math.random() * delayMs;
  const [request] = await Promise.all([collect(stream), pause(beforeMs)]);
  if (stream.destroyed) return;
  count(method, request);
  const { ':authority': _, ...passed } = headers;
  const call = upstream.request(passed);
  call.on('error', () => stream.destroy());
  stream.once('close', () => call.close(http2.constants.NGHTTP2_CANCEL));
  const answered = Promise.withResolvers<{ head: http2.IncomingHttpHeaders; isWhole: boolean }>();
  let trailers: http2.IncomingHttpHeaders = {};
  call.on('response', (head, flags) =>
    answered.resolve({ head, isWhole: (flags & http2.constants.NGHTTP2_FLAG_END_STREAM) !== 0 }),
  );
  call.on('trailers', (received) => {
    trailers = received;
  });
  call.end(request);
  const [{ head, isWhole }, answer] = await Promise.all([answered.promise, collect(call), pause(delayMs - beforeMs)]);
  if (stream.destroyed) return;
  if (method === 'BatchGetDocuments') counts.documents += framesOf(answer).length;
  if (method === 'RunQuery') counts.documents += framesOf(answer).filter(hasDocument).length;
  if (isWhole) return stream.respond(head, { endStream: true });
  stream.respond(head, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  stream.end(answer);
}

function count(method: string, request: Buffer): void {
  counts.calls++;
  if (method === 'Commit') for (const message of framesOf(request)) counts.writes += writesOf(message);
  if (!(method in DELAYS)) counts.kms++;
}

function drawDelay(method: string): number {
  if (stalls && Math.random() < STALLED_SHARE) {
    counts.stalled++;
    return STALL_MS;
  }
  const [, { p50, p99 }] = Object.entries(DELAYS).find(([name]) => name === method) ?? ['other', DELAYS.other];
  return p50 * Math.exp((Math.log(p99 / p50) / P99_DEVIATIONS) * standardNormal());
}

/** Returns a random number with a standard normal distribution, by the method of Box and Muller. */
function standardNormal(): number {
  return Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
}

async function collect(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
