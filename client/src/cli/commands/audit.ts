import { type Command as Commander, Option } from 'commander';
import { AUDIT_OPERATIONS } from '../../api/generated.ts';
import { EncryptionServiceError } from '../../errors.ts';
import type { EncryptionService } from '../../service.ts';
import type { AuditEvent } from '../../types.ts';
import { type AuditOptions, addAuditOptions, printEvents, windowOf } from '../audit-events.ts';
import type { Command } from '../command.ts';
import { wrongUsage } from '../failure.ts';
import { keyId } from '../find.ts';
import { containerOption, refuseContainerAlone } from '../options.ts';
import { withService } from '../service.ts';
import { addAuditFollow } from './audit-follow.ts';
import { addAuditVerify } from './audit-verify.ts';

interface Options extends AuditOptions {
  readonly key?: string;
  readonly container?: string;
  readonly apiKey?: string;
  readonly user?: string;
  readonly target?: string;
  readonly operation?: AuditEvent['operation'];
  readonly result?: AuditEvent['result'];
}

type AuditFilters = Omit<NonNullable<Parameters<EncryptionService['readAudit']>[0]>, 'key_id'>;

export function addAudit(program: Command): void {
  const audit = program
    .command('audit')
    .description('Show audit events, newest first (requires esk login, except for a single key)')
    .option('--key <key>', 'Only events of this key: ID or name (for a destroyed key, only the ID)')
    .addOption(containerOption())
    .option('--api-key <id>', 'Only events caused by this API key')
    .option('--user <id>', 'Only events caused by this person')
    .option('--target <id>', 'Only changes of this API key, container, firewall, invitation, member or tenant')
    .addOption(new Option('--operation <operation>', 'Only this operation').choices(AUDIT_OPERATIONS))
    .addOption(new Option('--result <result>', 'Only this result').choices(['success', 'error']));
  addAuditOptions(audit)
    .examples(
      [
        'Show who changed the role of a member',
        'esk audit --operation change_role --target 6f1ed002-ab5e-4a3c-9d57-0c2f8f0a7b11',
      ],
      ['Show failed requests since November 1', 'esk audit --result error --since 2026-11-01T00:00:00Z'],
      [
        "Export a key's October events for a spreadsheet",
        'esk audit --key backups --since 2026-10-01T00:00:00Z --until 2026-11-01T00:00:00Z --csv > october.csv',
      ],
    )
    .hook('preSubcommand', refuseIgnoredOption)
    .action(showAudit);
  addAuditFollow(audit);
  addAuditVerify(audit);
}

/**
 * Throws a {@link Failure} for an option of `esk audit` that its subcommand does not have. commander gives such an option
 * to `esk audit`, wherever it is on the command line, so the subcommand would ignore it.
 */
function refuseIgnoredOption(audit: Commander, subcommand: Commander): void {
  const known = subcommand.options.map(({ long }) => long);
  const given = audit.options.filter((option) => audit.getOptionValueSource(option.attributeName()) === 'cli');
  const ignored = given.find(({ long }) => !known.includes(long));
  if (ignored !== undefined) throw wrongUsage(`esk audit ${subcommand.name()} has no option ${ignored.long}`);
}

async function showAudit(options: Options): Promise<void> {
  refuseContainerAlone(options);
  await withService(async (connected) => {
    const { key, container, apiKey, user, target, operation, result } = options;
    const id = key === undefined ? undefined : await keyId(connected, key, container);
    const filters = {
      ...(apiKey !== undefined && { api_key_id: apiKey }),
      ...(user !== undefined && { user_id: user }),
      ...(target !== undefined && { target_id: target }),
      ...(operation && { operation }),
      ...(result && { result }),
    };
    await printEvents(readEvents(connected.service, id, filters, windowOf(options)), options);
  });
}

/**
 * Yields audit events. If only a key is given, reads the key's log, which API keys may read. Only people may read the
 * tenant's log.
 */
async function* readEvents(
  service: EncryptionService,
  keyId: string | undefined,
  filters: AuditFilters,
  window: ReturnType<typeof windowOf>,
): AsyncGenerator<AuditEvent> {
  try {
    yield* service.readAudit({ ...(keyId !== undefined && { key_id: keyId }), ...filters, ...window });
  } catch (error) {
    const takesPerson = error instanceof EncryptionServiceError && error.code === 'session_required';
    if (!takesPerson || keyId === undefined || Object.keys(filters).length > 0) throw error;
    yield* service.readKeyAudit(keyId, window);
  }
}
