import type { EncryptionService } from '../../../client/src/service.ts';
import type { Caller, Kind } from './sender.ts';
import { anyCaller, type Step, type StepContext, transit, WRITING } from './step.ts';

/** The number of pages that are read of a long audit log. */
const PAGES = 2;
const PAGE = 20;

/** Returns a step that reads with the client library. */
function reading(
  kind: Kind,
  callerOf: (context: StepContext) => Caller,
  work: (service: EncryptionService) => Promise<unknown>,
  good?: string,
): Step {
  return (context) => context.sender.call(kind, callerOf(context), work, good);
}

const owner = ({ tenant }: StepContext) => tenant.owner;
const nobody = () => ({ nobody: true }) as const;

/** Reads a key. The answer must match the last change of the key. */
export const getKey: Step = async (context) => {
  const { tenant, sender, random, flaw } = context;
  const key = random.pick(tenant.keys);
  await key.use(async () => {
    const read = await sender.call('reads of keys', anyCaller(context), (service) => service.getKey(key.id));
    if (!('done' in read)) return;
    const { name, primary_version, state } = read.done;
    if (name !== key.name || primary_version !== key.version || state !== 'active')
      flaw('a key differs from its last known state');
  });
};

/** Lists keys. The list must contain all keys of the tenant. */
export const listKeys: Step = async (context) => {
  const { tenant, sender, flaw } = context;
  const expected = tenant.keys.filter(({ isUncertain }) => !isUncertain).map(({ id }) => id);
  const read = await sender.call('reads of keys', anyCaller(context), (service) => service.listKeys());
  if (!('done' in read)) return;
  const ids = new Set(read.done.map(({ id }) => id));
  const gone = expected.filter((id) => !ids.has(id) && tenant.keys.some((key) => key.id === id));
  if (gone.length > 0) flaw('a key is missing from the list');
};

export const readKeyAudit: Step = ({ tenant, sender, random }) => {
  const { id } = random.pick(tenant.keys);
  return sender.call('audit log', tenant.owner, (service) => firstItems(service.readKeyAudit(id, { limit: PAGE })));
};

export const readAudit: Step = reading('audit log', owner, (service) => firstItems(service.readAudit({ limit: PAGE })));

/** The reads that the console makes, and `GET /v1/caller`, which API keys may also call. */
export const CONSOLE_READS: readonly Step[] = [
  reading('reads in the console', owner, (service) => service.me()),
  reading('reads in the console', owner, (service) => service.listApiKeys()),
  reading('reads in the console', owner, (service) => service.listContainers()),
  reading('reads in the console', owner, (service) => service.listFirewalls()),
  reading('reads in the console', owner, (service) => service.listMembers()),
  reading('reads in the console', owner, (service) => service.listInvitations()),
  reading('reads in the console', owner, (service) => service.readAuditKey()),
  reading('reads in the console', owner, (service) => service.readAuditSeals()),
  reading('reads in the console', owner, (service) => service.readAuditEntries()),
  reading('reads in the console', owner, (service) => service.readBilling()),
  reading('reads in the console', anyCaller, (service) => service.getCaller()),
];

/** Calls that use the payment provider. The tenant has a subscription, so starting a second one is refused. */
export const PAYMENTS: readonly Step[] = [
  reading('changes in the console', owner, (service) => service.openPortal()),
  reading('changes in the console', owner, (service) => service.startCheckout(), '409 billing_active'),
];

export const REPORTS: readonly Step[] = [
  reading('usage and statements', anyCaller, (service) => service.readUsage()),
  reading('usage and statements', anyCaller, (service) => service.readUsageDaily()),
  reading('usage and statements', owner, (service) => service.readStatement()),
];

export const DOCUMENTS: readonly Step[] = [
  reading('health and documents', nobody, (service) => service.live()),
  reading('health and documents', nobody, (service) => service.signIn()),
  reading('health and documents', nobody, (service) => service.openapi()),
];

/** Checks the readiness. The service must be ready, except during faults. */
export const readReadiness: Step = async ({ sender }) => {
  const kind = 'health and documents';
  const at = performance.now();
  const read = await sender.call(kind, { nobody: true }, (service) => service.ready());
  if ('done' in read && read.done.status !== 'ok') sender.noteRefusal(kind, '503 unavailable', at, performance.now());
};

export const TRANSIT_READS: readonly Step[] = [
  (context) => transit(context, 'Transit', 'GET', '/transit/keys?list=true'),
  (context) => transit(context, 'Transit', 'GET', '/auth/token/lookup-self'),
  (context) => transit(context, 'Transit', context.random.pick(WRITING), '/auth/token/renew-self', {}),
  async (context) => {
    const key = context.random.pick(context.tenant.keys);
    await key.use(() => transit(context, 'Transit', 'GET', `/transit/keys/${encodeURIComponent(key.name)}`));
  },
];

/** Returns the first items of a list that has several pages. */
async function firstItems<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const first: Item[] = [];
  for await (const item of items) {
    first.push(item);
    if (first.length > (PAGES - 1) * PAGE) break;
  }
  return first;
}

export const previewRotation: Step = async (context) => {
  const key = context.random.pick(context.tenant.keys);
  await key.use(() =>
    context.sender.call('reads of keys', anyCaller(context), (service) => service.previewRotation(key.id)),
  );
};
