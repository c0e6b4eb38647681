import { existsSync, readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addApiKeys } from './commands/api-keys.ts';
import { addAudit } from './commands/audit.ts';
import { addBilling } from './commands/billing.ts';
import { addCompletion } from './commands/completion.ts';
import { addContainers } from './commands/containers.ts';
import { addDecrypt } from './commands/decrypt.ts';
import { addEncrypt } from './commands/encrypt.ts';
import { addFirewalls } from './commands/firewalls.ts';
import { addKeys } from './commands/keys.ts';
import { addLogin } from './commands/login.ts';
import { addLogout } from './commands/logout.ts';
import { addRewrap } from './commands/rewrap.ts';
import { addUsage } from './commands/usage.ts';
import { addWhoami } from './commands/whoami.ts';
import { examples } from './examples.ts';

const NOTES = `
Environment:
  ESK_URL          the service's address
  ESK_API_KEY      an API key; without it, who is signed in with esk login
  NO_COLOR         no bold text

Exit status:
  0 done · 1 failed here (file, format, verification) · 2 wrong usage · 3 refused by the service
  4 credential missing or refused · 5 service not reachable
`;

/** The command line of `esk`: each command with what it takes and does. */
export function makeProgram(): Command {
  const program = new Command('esk')
    .description('Encrypt files and manage keys with the encryption service.')
    .version(version())
    .exitOverride()
    .configureOutput({
      // What is wrong with a command line is said in the one line that every failure has.
      outputError: () => undefined,
      writeErr: (text) => process.stderr.isTTY && process.stderr.write(text),
    });
  program.addHelpText(
    'after',
    examples(
      [
        'encrypt and decrypt a file',
        'esk encrypt --key backups -o report.pdf.age report.pdf\nesk decrypt -o report.pdf report.pdf.age',
      ],
      ['a backup in a pipe', 'pg_dump shop | esk encrypt --key backups > shop.sql.age'],
      ['more about a command', 'esk help encrypt'],
    ) + NOTES,
  );
  program.commandsGroup('Files:');
  for (const add of [addEncrypt, addDecrypt, addRewrap]) add(program);
  program.commandsGroup('Keys and who may use them:');
  for (const add of [addKeys, addApiKeys, addContainers, addFirewalls]) add(program);
  program.commandsGroup('Reports:');
  for (const add of [addUsage, addAudit, addBilling]) add(program);
  program.commandsGroup('Signing in:');
  for (const add of [addLogin, addLogout, addWhoami]) add(program);
  program.commandsGroup('More:');
  addCompletion(program);
  return program;
}

/** The version of the package that this file is in: as source in `src/cli`, compiled in `dist/client/src/cli`. */
function version(): string {
  const places = ['../../package.json', '../../../../package.json'].map((path) => new URL(path, import.meta.url));
  const [place] = places.filter((one) => existsSync(one));
  const { version } = place === undefined ? {} : JSON.parse(readFileSync(place, 'utf8'));
  return String(version);
}
