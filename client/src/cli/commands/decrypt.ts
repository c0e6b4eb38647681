import type { Command } from 'commander';
import { decryptStream } from '../../files/index.ts';
import { writeWhole } from '../atomic-file.ts';
import { examples } from '../examples.ts';
import { openInput, STANDARD } from '../input.ts';
import { contextBytes, contextOption } from '../options.ts';
import { withProgress } from '../progress.ts';
import { withService } from '../service.ts';
import { writeChunks } from '../standard-output.ts';

interface DecryptOptions {
  readonly context?: string;
  readonly output?: string;
}

/** `esk decrypt`: what was encrypted by `esk`, by the library or by `age` with the plugin. */
export function addDecrypt(program: Command): void {
  program
    .command('decrypt')
    .description('decrypt a file, or standard input; the file itself names its key')
    .argument('[file]', 'what to decrypt; standard input where there is none')
    .addOption(contextOption())
    .option('-o, --output <file>', 'where to write, the whole file or nothing; standard output where there is none')
    .addHelpText(
      'after',
      `${examples(
        ['a file', 'esk decrypt -o report.pdf report.pdf.age'],
        [
          'a backup: first the whole file, then the database',
          'esk decrypt --context shop -o shop.sql shop.sql.age && psql -f shop.sql shop',
        ],
        ['text to look at', 'esk decrypt server.log.age | grep -i error'],
      )}
A pipe gets each part when it is authenticated. Of a file that is damaged further on it gets the beginning, and
esk exits with 1: where half a file does harm, write to a file first.
`,
    )
    .action(decrypt);
}

async function decrypt(file: string | undefined, { context, output }: DecryptOptions): Promise<void> {
  const target = output === STANDARD ? undefined : output;
  await withService(async ({ service }) => {
    const input = await openInput(file);
    const decrypted = input.stream
      .pipeThrough(withProgress(input.size, target !== undefined))
      .pipeThrough(decryptStream(service, contextBytes(context)));
    await (target === undefined ? writeChunks(decrypted) : writeWhole(target, decrypted));
  });
}
