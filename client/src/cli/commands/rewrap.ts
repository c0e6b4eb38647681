import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { rewrapHeader } from '../../files/index.ts';
import { writeWhole } from '../atomic-file.ts';
import type { Command } from '../command.ts';
import { refuseUnreadableName, unusable } from '../descriptor.ts';
import { errorLine, explain, withContextHint } from '../explain.ts';
import { EXIT, Failure, wrongUsage } from '../failure.ts';
import { openInput, STANDARD } from '../input.ts';
import { contextBytes, contextOption } from '../options.ts';
import { withProgress } from '../progress.ts';
import { type Connected, connect } from '../service.ts';
import { tell } from '../terminal.ts';

interface RewrapOptions {
  readonly context?: string;
}

/** Adds `esk rewrap`, which updates only a file's header, not its payload. */
export function addRewrap(program: Command): void {
  program
    .command('rewrap')
    .description("Update encrypted files to their key's current version, in place")
    .argument('<file...>', 'Files to rewrap')
    .addOption(contextOption())
    .examples(
      ['Rewrap files after a rotation', 'esk keys rotate backups\nesk rewrap --context shop backups/*.age'],
      ['Rewrap all files in a folder and its subfolders', 'find archive -name "*.age" -exec esk rewrap {} +'],
    )
    .remarks(`Each file is replaced atomically; its contents are copied without being decrypted. If a file cannot be rewrapped, esk
reports it, leaves it unchanged and continues. It exits with the status of the first failure.

Rotating a free or wrapped key makes every older file unreadable. Rewrapping cannot recover these files.`)
    .action(rewrap);
}

async function rewrap(files: readonly string[], options: RewrapOptions): Promise<void> {
  if (files.includes(STANDARD)) throw wrongUsage('cannot rewrap standard input in place; name one or more files');
  const connected = await connect();
  const failures: Failure[] = [];
  for (const file of files) {
    const failure = await failureOf(connected, file, options);
    if (failure === undefined) continue;
    const before = failures.at(-1);
    if (before !== undefined) tell(errorLine(before));
    failures.push(failure);
    // Stop, because the same error would occur for every other file.
    if (failure.exitCode === EXIT.credential || failure.exitCode === EXIT.unreachable) break;
  }
  const [first] = failures;
  const last = failures.at(-1);
  if (first && last) throw new Failure(first.exitCode, last.code, last.message, last.requestId);
}

async function failureOf(connected: Connected, file: string, options: RewrapOptions): Promise<Failure | undefined> {
  const { requestIds } = connected;
  const before = requestIds.last;
  try {
    await rewrapFile(connected, file, options);
    return undefined;
  } catch (error) {
    const { exitCode, code, message, requestId } = explain(error);
    const lastRequestId = requestIds.last === before ? undefined : requestIds.last;
    return new Failure(
      exitCode,
      code,
      message.startsWith(file) ? message : `${file}: ${message}`,
      requestId ?? lastRequestId,
    );
  }
}

async function rewrapFile({ service }: Connected, file: string, { context }: RewrapOptions): Promise<void> {
  refuseUnreadableName(file);
  const before = await stat(file, { bigint: true });
  const input = await openInput(file);
  if (input.size === undefined) throw unusable(file, 'is not a file, so it cannot be replaced');
  const rewrapped = input.stream
    .pipeThrough(withProgress(input.size, true))
    .pipeThrough(rewrapHeader(service, contextBytes(context)));
  await withContextHint(context, () => writeWhole(file, unlessChanged(file, before, rewrapped)));
}

/** Yields the chunks. Then throws if a program wrote to the file, or replaced it, meanwhile: its work would be lost. */
async function* unlessChanged(
  file: string,
  before: BigIntStats,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* chunks;
  const now = await stat(file, { bigint: true });
  if (now.ino !== before.ino || now.size !== before.size || now.mtimeNs !== before.mtimeNs)
    throw unusable(file, 'changed while it was rewrapped');
}
