import { type Command, Option } from 'commander';
import { AUDIT_OPERATIONS } from '../../api/audit-log.ts';
import { EncryptionServiceError } from '../../errors.ts';
import type { EncryptionService } from '../../service.ts';
import type { AuditEvent } from '../../types.ts';
import { type AuditOptions, addAuditOptions, printEvents, windowOf } from '../audit-events.ts';
import { examples } from '../examples.ts';
import { keyId } from '../find.ts';
import { containerOption } from '../options.ts';
import { withService } from '../service.ts';
import { addAuditVerify } from './audit-verify.ts';

interface Options extends AuditOptions {
  readonly key?: string;
  readonly container?: string;
  readonly apiKey?: string;
  readonly user?: string;
  readonly operation?: AuditEvent['operation'];
  readonly result?: AuditEvent['result'];
}

type AuditFilters = Omit<NonNullable<Parameters<EncryptionService['readAudit']>[0]>, 'key_id'>;

/** `esk audit`. */
export function addAudit(program: Command): void {
  const audit = program
    .command('audit')
    .description("what was done with the tenant's keys, newest first; needs esk login, but for one key alone")
    .option('--key <key>', 'one key alone: an id or a name; of a destroyed key its id')
    .addOption(containerOption())
    .option('--api-key <id>', 'what was done with this API key')
    .option('--user <id>', 'what this person did')
    .addOption(new Option('--operation <operation>', 'one operation alone').choices(AUDIT_OPERATIONS))
    .addOption(new Option('--result <result>', 'what succeeded, or what failed').choices(['success', 'error']));
  addAuditOptions(audit)
    .addHelpText(
      'after',
      examples(
        ['what failed since November began', 'esk audit --result error --since 2026-11-01T00:00:00Z'],
        [
          'a month of one key, for a spreadsheet',
          'esk audit --key backups --since 2026-10-01T00:00:00Z --until 2026-11-01T00:00:00Z --csv > october.csv',
        ],
      ),
    )
    .action(showAudit);
  addAuditVerify(audit);
}

async function showAudit(options: Options): Promise<void> {
  await withService(async (connected) => {
    const { key, container, apiKey, user, operation, result } = options;
    const id = key === undefined ? undefined : await keyId(connected, key, container);
    const filters = {
      ...(apiKey !== undefined && { api_key_id: apiKey }),
      ...(user !== undefined && { user_id: user }),
      ...(operation && { operation }),
      ...(result && { result }),
    };
    await printEvents(readEvents(connected.service, id, filters, windowOf(options)), options);
  });
}

/** The events of the tenant's log. Of one key alone, without a filter more, an API key reads the key's own log, as the tenant's takes a person. */
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
