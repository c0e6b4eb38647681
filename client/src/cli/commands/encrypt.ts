import { encryptStream } from '../../files/index.ts';
import { writeWhole } from '../atomic-file.ts';
import type { Command } from '../command.ts';
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

/** Adds `esk encrypt`, which encrypts files of any size in constant memory, in the age format. */
export function addEncrypt(program: Command): void {
  program
    .command('encrypt')
    .description('Encrypt a file or standard input')
    .argument('[file]', 'File to encrypt (default: standard input)')
    .requiredOption('--key <key>', 'Key to encrypt with: ID or name')
    .addOption(containerOption())
    .addOption(contextOption())
    .option('--armor', 'Write text (ASCII armor) instead of binary data')
    .option('-o, --output <file>', 'File to write (default: standard output)')
    .examples(
      ['Encrypt a file', 'esk encrypt --key backups -o report.pdf.age report.pdf'],
      ['Encrypt a backup in a pipe', 'pg_dump shop | esk encrypt --key backups --context shop -o shop.sql.age'],
      ['Encrypt as text, to paste into an email', 'esk encrypt --key letters --armor letter.txt'],
    )
    .action(encrypt);
}

async function encrypt(file: string | undefined, options: EncryptOptions): Promise<void> {
  const { output, armor = false } = options;
  if (output === undefined && process.stdout.isTTY && !armor) {
    throw wrongUsage('refusing to write binary data to a terminal; use -o FILE or --armor, or -o - to write it anyway');
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
