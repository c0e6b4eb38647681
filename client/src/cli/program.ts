import { VERSION } from '../api/generated.ts';
import { Command } from './command.ts';
import { addApiKeys } from './commands/api-keys.ts';
import { addAudit } from './commands/audit.ts';
import { addBilling } from './commands/billing.ts';
import { addCompletion } from './commands/completion.ts';
import { addContainers } from './commands/containers.ts';
import { addDecrypt } from './commands/decrypt.ts';
import { addDoctor } from './commands/doctor.ts';
import { addEncrypt } from './commands/encrypt.ts';
import { addFirewalls } from './commands/firewalls.ts';
import { addHelp } from './commands/help.ts';
import { addJoin } from './commands/join.ts';
import { addKeys } from './commands/keys.ts';
import { addLogin } from './commands/login.ts';
import { addLogout } from './commands/logout.ts';
import { addMembers } from './commands/members.ts';
import { addRewrap } from './commands/rewrap.ts';
import { addUsage } from './commands/usage.ts';
import { addWhoami } from './commands/whoami.ts';
import { checkOutput, startWriting } from './standard-output.ts';

const NOTES = `Environment:
  ESK_URL          URL of the service
  ESK_API_KEY      API key token (default: the account signed in with esk login)
  ESK_API_KEY_FILE File with the token of an API key or a workload's ID token
  ESK_WORKLOAD     github or google: use the workload's ID token
  ESK_API_KEY_ID   ID of the API key, for ESK_WORKLOAD
  ESK_ACCESS_TOKEN, ESK_ACCESS_TOKEN_FILE
                   Access token, or file with one, for esk audit follow
  HTTPS_PROXY, HTTP_PROXY, NO_PROXY
                   Proxy for requests, and hosts without it
  NO_COLOR         If set, turns off bold text

Exit status:
  0  Success
  1  Local failure, such as a damaged file or a failed verification
  2  Wrong usage
  3  Refused by the service
  4  Credential missing or refused
  5  Service or identity provider not reachable`;

export function makeProgram(): Command {
  const program = new Command('esk')
    .description('Encrypt files and manage keys with the encryption service.')
    .version(VERSION, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Show help')
    // Groups of commands, such as `esk keys`, inherit this.
    .helpCommand('help [command]', 'Show help for a command')
    .exitOverride()
    // A command that changes something must not find out afterwards that it cannot print.
    .hook('preAction', checkOutput)
    .configureOutput({
      // All failures use one format, so commander's message is not printed.
      outputError: () => undefined,
      writeOut: startWriting,
      writeErr: (text) => process.stderr.isTTY && process.stderr.write(text),
    })
    .examples(
      [
        'Encrypt and decrypt a file',
        'esk encrypt --key backups -o report.pdf.age report.pdf\nesk decrypt -o report.pdf report.pdf.age',
      ],
      ['Encrypt a backup in a pipe', 'pg_dump shop | esk encrypt --key backups -o shop.sql.age'],
      ['Show help for a command', 'esk help keys create'],
    )
    .remarks(NOTES);
  program.commandsGroup('Files:');
  for (const add of [addEncrypt, addDecrypt, addRewrap]) add(program);
  program.commandsGroup('Keys and access:');
  for (const add of [addKeys, addApiKeys, addContainers, addFirewalls, addMembers, addJoin]) add(program);
  program.commandsGroup('Reports:');
  for (const add of [addUsage, addAudit, addBilling]) add(program);
  program.commandsGroup('Sign-in:');
  for (const add of [addLogin, addLogout, addWhoami]) add(program);
  program.commandsGroup('Other:');
  for (const add of [addDoctor, addCompletion, addHelp]) add(program);
  return program;
}
