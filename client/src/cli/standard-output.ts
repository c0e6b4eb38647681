import { fstatSync, ftruncateSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { kindOf, refuseClosed, unusable } from './descriptor.ts';
import { explain } from './explain.ts';
import { EXIT, Failure } from './failure.ts';

const NAME = 'standard output';
const CLOSED_PIPE: readonly unknown[] = ['EPIPE', 'ERR_STREAM_DESTROYED'];

/** Writes to standard output. Throws a {@link Failure} if not all data can be written. */
export async function writeOut(data: string | Uint8Array): Promise<void> {
  checkOutput();
  const kind = kindOf(1, NAME);
  if (kind === 'file' || kind === 'device') return writeAll(typeof data === 'string' ? Buffer.from(data) : data);
  await new Promise<void>((resolve, reject) => {
    process.stdout.write(data, (error) => {
      if (error) reject(new OutputFailure(error));
      else resolve();
    });
  });
}

/** Throws a {@link Failure} if standard output is of a kind that cannot be written. */
export function checkOutput(): void {
  const kind = kindOf(1, NAME);
  // Node discards what is written to a socket that it does not know, such as a datagram socket.
  const isKnown = kind === 'file' || kind === 'device' || process.stdout instanceof Socket;
  if (!isKnown) throw unusable(NAME, `is a ${kind} that cannot be written`);
}

/** Throws a {@link Failure} if standard output is closed. Commands that print something only once call it first. */
export function requireOutput(): void {
  refuseClosed(1, NAME);
}

/** Node's own stream ignores that the system may write only a part, for example if the disk is almost full. */
function writeAll(bytes: Uint8Array): void {
  const { size } = fstatSync(1);
  let at = 0;
  try {
    while (at < bytes.length) at += writeSync(1, bytes, at);
  } catch (error) {
    cutTo(size, at);
    throw new OutputFailure(error);
  }
}

/** Removes a part of a line from a file, so that the next run does not append to it. A device has no size. */
function cutTo(size: number, written: number): void {
  try {
    // Another program may have appended to the file.
    if (written > 0 && fstatSync(1).size === size + written) ftruncateSync(1, size);
  } catch {
    // Some files only allow appending.
  }
}

export async function writeChunks(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of chunks) await writeOut(chunk);
}

let started: Promise<void> = Promise.resolve();

/** Starts to write. {@link written} waits for the result. Commander cannot wait for the result itself. */
export function startWriting(text: string): void {
  started = started.then(() => writeOut(text));
  started.catch(() => undefined);
}

export function written(): Promise<void> {
  return started;
}

/** The error if standard output cannot be written, for example if the program that reads it, such as `head`, stopped. */
class OutputFailure extends Failure {
  constructor(cause: unknown) {
    const isClosedPipe = cause instanceof Error && 'code' in cause && CLOSED_PIPE.includes(cause.code);
    const { message } = explain(cause instanceof Error ? Object.assign(cause, { path: NAME }) : cause);
    super(
      EXIT.local,
      isClosedPipe ? 'closed_pipe' : 'file_error',
      isClosedPipe ? 'standard output was closed before all output was written' : message,
    );
  }
}

/**
 * Runs a task that prints what a command has changed. If standard output cannot be written, the error says what became
 * of the change.
 */
export async function printing(task: () => Promise<void>, outcome: () => string | Promise<string>): Promise<void> {
  try {
    await task();
  } catch (error) {
    if (!(error instanceof OutputFailure)) throw error;
    throw new Failure(error.exitCode, error.code, `${error.message}; ${await outcome()}`);
  }
}

/** Prevents a closed or full standard stream from ending the program. Later calls of `writeOut` report the error. */
export function surviveBrokenStreams(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}
