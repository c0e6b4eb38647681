import { list } from '../columns.ts';
import type { Command } from '../command.ts';
import { jsonOption } from '../options.ts';
import { type Format, printJson } from '../print.ts';
import { withService } from '../service.ts';
import { writeOut } from '../standard-output.ts';

export function addWhoami(program: Command): void {
  program
    .command('whoami')
    .description('Show who you are signed in as, your tenant and your role')
    .addOption(jsonOption())
    .action(whoami);
}

async function whoami(options: Format): Promise<void> {
  await withService(async ({ service, url }) => {
    const me = await service.me();
    if (options.json) return printJson(me);
    const { user, tenant, role } = me;
    const { id, email, name } = user;
    await writeOut(list({ service: url, user: id, email, name, tenant: tenant.id, tenant_name: tenant.name, role }));
  });
}
