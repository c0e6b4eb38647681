import type { Command } from 'commander';
import { encryptStream } from '../../files/index.ts';
import { writeWhole } from '../atomic-file.ts';
import { examples } from '../examples.ts';
import { wrongUsage } from '../failure.ts';
import { keyId } from '../find.ts';
import { openInput, STANDARD } from '../input.ts';
import { containerOption, contextBytes, contextOption } from '../options.ts';
import { withProgress } from '../progress.ts';
import { withService } from '../service.ts';
import { writeChunks } from '../standard-output.ts';

interface EncryptOptions {
  readonly key: string;
  readonly container?: string;
  readonly context?: string;
  readonly armor?: boolean;
  readonly output?: string;
}

/** `esk encrypt`: any size, in constant memory, to the age format. */
export function addEncrypt(program: Command): void {
  program
    .command('encrypt')
    .description('encrypt a file, or standard input, of any size')
    .argument('[file]', 'what to encrypt; standard input where there is none')
    .requiredOption('--key <key>', 'the key: an id or a name')
    .addOption(containerOption())
    .addOption(contextOption())
    .option('--armor', 'write text (ASCII armor) instead of bytes')
    .option('-o, --output <file>', 'where to write; standard output where there is none')
    .addHelpText(
      'after',
      examples(
        ['a file', 'esk encrypt --key backups -o report.pdf.age report.pdf'],
        ['a backup in a pipe', 'pg_dump shop | esk encrypt --key backups --context shop > shop.sql.age'],
        ['text to paste into a mail', 'esk encrypt --key letters --armor letter.txt'],
      ),
    )
    .action(encrypt);
}

async function encrypt(file: string | undefined, options: EncryptOptions): Promise<void> {
  const { output, armor = false } = options;
  if (output === undefined && process.stdout.isTTY && !armor) {
    throw wrongUsage('bytes are nothing for a terminal: add -o FILE or --armor, or -o - to have them here');
  }
  const target = output === STANDARD ? undefined : output;
  await withService(async (connected) => {
    const input = await openInput(file);
    const id = await keyId(connected, options.key, options.container);
    const encrypted = input.stream
      .pipeThrough(withProgress(input.size, target !== undefined))
      .pipeThrough(encryptStream(connected.service, id, { ...contextBytes(options.context), armor }));
    await (target === undefined ? writeChunks(encrypted) : writeWhole(target, encrypted));
  });
}
