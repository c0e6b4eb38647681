/* The parts of gRPC and Protocol Buffers that are needed to count what Firestore bills. */

/** The length of a gRPC frame's head: a compression flag (one byte) and the length of the message (four bytes). */
const FRAME_HEAD_BYTES = 5;
/** The tag of `writes` in a CommitRequest: field 2, a message. */
const WRITES_TAG = 0x12;
/** The tag of `document` in a RunQueryResponse: field 1, a message. Fields are sent in the order of their numbers. */
const DOCUMENT_TAG = 0x0a;
const LENGTH_DELIMITED = 2;

/** Returns the messages that one side of a call sent. */
export function framesOf(bytes: Buffer): Buffer[] {
  const messages: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + FRAME_HEAD_BYTES + bytes.readUInt32BE(at + 1);
    messages.push(bytes.subarray(at + FRAME_HEAD_BYTES, end));
    at = end;
  }
  return messages;
}

/** Returns whether a RunQueryResponse has a document. */
export function hasDocument(response: Buffer): boolean {
  return response[0] === DOCUMENT_TAG;
}

/** Returns the number of writes in a CommitRequest. Throws if a field is not length-delimited. */
export function writesOf(commit: Buffer): number {
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
