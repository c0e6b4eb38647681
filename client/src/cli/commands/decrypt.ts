import { decryptStream } from '../../files/index.ts';
import { writeWhole } from '../atomic-file.ts';
import type { Command } from '../command.ts';
import { withContextHint } from '../explain.ts';
import { openInput, STANDARD } from '../input.ts';
import { contextBytes, contextOption } from '../options.ts';
import { withProgress } from '../progress.ts';
import { withService } from '../service.ts';
import { writeChunks } from '../standard-output.ts';

interface DecryptOptions {
  readonly context?: string;
  readonly output?: string;
}

/** Adds `esk decrypt`. The command also decrypts files that the library or `age` with the plugin has encrypted. */
export function addDecrypt(program: Command): void {
  program
    .command('decrypt')
    .description('Decrypt a file or standard input')
    .argument('[file]', 'File to decrypt (default: standard input)')
    .addOption(contextOption())
    .option(
      '-o, --output <file>',
      'Output file, written only if the whole input can be decrypted (default: standard output)',
    )
    .examples(
      ['Decrypt a file', 'esk decrypt -o report.pdf report.pdf.age'],
      [
        'Restore a backup only after the whole file is decrypted',
        'esk decrypt --context shop -o shop.sql shop.sql.age && psql -f shop.sql shop',
      ],
      ['Search an encrypted file', 'esk decrypt server.log.age | grep -i error'],
    )
    .remarks(`You need not name the key: the file contains its ID.

A pipe receives each part of the file as soon as the part is authenticated. If the file was damaged or altered, the
pipe receives only the beginning, and esk exits with status 1. If partial output could do harm, write to a file with -o.`)
    .action(decrypt);
}

async function decrypt(file: string | undefined, { context, output }: DecryptOptions): Promise<void> {
  const target = output === STANDARD ? undefined : output;
  await withService(async ({ service }) => {
    const input = await openInput(file);
    const decrypted = input.stream
      .pipeThrough(withProgress(input.size, target !== undefined))
      .pipeThrough(decryptStream(service, contextBytes(context)));
    await withContextHint(context, () =>
      target === undefined ? writeChunks(decrypted) : writeWhole(target, decrypted),
    );
  });
}
