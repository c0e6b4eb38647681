import { IDENTITY } from '../age-plugin/recipient.ts';
import { Command } from './command.ts';

/** Returns the program `age-plugin-esk`. It has no commands, because age starts it with an option. */
export function makePluginProgram(): Command {
  return new Command('age-plugin-esk')
    .description(
      'Let age encrypt and decrypt with keys of the encryption service. The plugin must be in the PATH: age starts it when needed.',
    )
    .option('--age-plugin <state-machine>', 'State machine of the age plugin protocol; age sets it')
    .helpOption('-h, --help', 'Show help')
    .examples(
      ['Encrypt a file', 'age -r "$(esk keys recipient backups)" -o notes.age notes.txt'],
      ['Decrypt a file', 'age -d -j esk -o notes.txt notes.age'],
    )
    .remarks(`Instead of using -j esk, you can put this line in an identity file. The line is not a secret.

${IDENTITY}

Environment:
  ESK_URL          URL of the service
  ESK_API_KEY      API key token`);
}
