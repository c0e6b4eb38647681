import type { ComponentChildren } from 'preact';
import { ACTIONS as ALL_ACTIONS, METERED, TIER } from '../../client/src/api/generated.ts';
import type { Action, ErrorCode, Finding, Role, RotationPreview, Tier } from '../../client/src/index.ts';

/** All texts of the console are in this file, so that every page uses the same name for the same thing. */
const number = new Intl.NumberFormat('en-US');

/** Returns a count with thousands separators. */
export const count = (value: number): string => number.format(value);

const short = new Intl.NumberFormat('en-US', { notation: 'compact' });

/** Returns a rounded count in short form, such as `50K`. */
export const countInShort = (value: number): string => short.format(value);

/** Returns a count with its noun in the singular or the plural. */
const counted = (value: number, one: string, many = `${one}s`): string => `${count(value)} ${value === 1 ? one : many}`;

/** Returns cents as dollars with two decimal places. */
export const money = (cents: number): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(Math.round(cents) / 100);

/** Returns cents as dollars with two to seven decimal places. */
export const exactMoney = (cents: string): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 7 }).format(
    Number(cents) / 100,
  );

/** Returns the rounded percentage of `part` in `whole`. */
export const percent = (part: number, whole: number): string =>
  whole === 0 ? '0%' : `${number.format(Math.round((100 * part) / whole))}%`;

const monthWords = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** Returns the name of a month: `November 2026` for `2026-11`. */
export const monthName = (period: string): string => monthWords.format(new Date(`${period}-01T00:00:00Z`));

const dayWords = new Intl.DateTimeFormat('en-US', { month: 'long', day: 'numeric', timeZone: 'UTC' });

/** Returns the name of a day: `November 20` for `2026-11-20`. */
const dayName = (day: string): string => dayWords.format(new Date(`${day}T00:00:00Z`));

const shortDayWords = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** Returns the short name of a day: `Nov 20` for `2026-11-20`. */
export const shortDay = (day: string): string => shortDayWords.format(new Date(`${day}T00:00:00Z`));

const list = new Intl.ListFormat('en-US', { style: 'long', type: 'conjunction' });

/** Returns items as a phrase, such as `a, b, and c`. */
export const listed = (things: readonly string[]): string => list.format(things);

export const MONTHS = {
  previous: 'Previous month',
  next: 'Next month',
  inUtc: (month: string): string => `${month} (UTC)`,
  unreadable: 'This address names no month. The parameter period must be a month, such as 2026-11.',
  current: 'Show the current month',
} as const;

export const NAV = {
  label: 'Pages',
  menu: 'Menu',
  overview: 'Overview',
  keys: 'Keys',
  apiKeys: 'API keys',
  containers: 'Containers',
  firewalls: 'Firewalls',
  members: 'Members',
  audit: 'Audit',
  billing: 'Billing',
  reference: 'API reference',
  status: 'Status',
} as const;

export const SHELL = {
  product: 'Encryption Service',
  skip: 'Skip to content',
  unnamedTenant: 'Unnamed tenant',
  unnamedPerson: 'Unnamed person',
  signOut: 'Sign out',
  search: 'Go to…',
  theme: 'Theme',
  themes: { system: 'System', light: 'Light', dark: 'Dark' },
  removed: (tenant: ComponentChildren): ComponentChildren => [
    'You are no longer a member of ',
    tenant,
    '. The console now shows your current tenant.',
  ],
  previousTenant: 'your previous tenant',
  unknownPage: 'Page not found',
  unknownPageText: 'The console has no page at this address. Go to',
} as const;

export const SIGN_IN = {
  what: 'Create encryption keys, decide who can use them, and see every use.',
  button: 'Sign in',
  next: 'What happens next',
  steps: [
    "You continue to your organization's sign-in page, which checks who you are.",
    'You return here, signed in.',
    'If it is your first time, you get an empty tenant: your own place for keys.',
  ],
  stepsInvited: [
    "You continue to your organization's sign-in page, which checks who you are.",
    'You return here and see who invites you, to which tenant, and as what.',
    'You decide whether to join. Nothing happens before that.',
  ],
  leaving: 'Signing you in…',
  why: {
    first: '',
    ended: 'Your session ended. Sign in to continue where you left off.',
    'signed-out': 'You have signed out.',
  },
  invited: 'Sign in to see your invitation.',
} as const;

export const COMMON = {
  cancel: 'Cancel',
  close: 'Close',
  create: 'Create',
  save: 'Save',
  tryAgain: 'Try again',
  copy: 'Copy',
  copied: 'Copied',
  notCopied: 'The browser blocked copying. The text is selected: press Ctrl C or ⌘ C.',
  copyLine: 'Copy this line',
  loading: 'Loading…',
  back: (list: string): string => `Back to ${list}`,
  more: 'Show more',
  none: 'None',
  never: 'Never',
  name: 'Name',
  created: 'Created',
  requestId: 'Request',
  aboutError: 'About this error',
  discard: 'You have unsaved changes.',
  discardYes: 'Discard',
  discardNo: 'Keep editing',
  confirmName: "Type the key's name to confirm",
  tooLong: (length: number, most: number): string =>
    `This has ${counted(length, 'character')}. At most ${count(most)} are allowed.`,
  createOne: 'Create one here, or with:',
  nothingMatches: 'No results.',
  clearSearch: 'Clear search',
  shown: (shown: number, all: number): string => `${count(shown)} of ${count(all)}`,
  unknown: 'Not available right now.',
  outdated: 'This page may be out of date.',
} as const;

/** A description of what distinguishes the keys of each tier. */
const TIER_KEYS: Readonly<Record<Tier, string>> = {
  free: '',
  wrapped: '',
  software: 'A separate key in the KMS. ',
  hsm: 'A separate key in a hardware security module. ',
};

/** Returns a tier's name with its price. */
export function tierChoice(tier: Tier): string {
  const { feeCents } = TIER[tier];
  return `${tier} · ${feeCents === 0 ? 'no fee' : `$${feeCents / 100} per month`}`;
}

/** Returns a text with the price, the allowance and the kind of keys of a tier. */
export function tierText(tier: Tier): string {
  const { feeCents, monthlyOps, retainedVersions } = TIER[tier];
  const price =
    tier === 'free'
      ? `Free. At most ${count(monthlyOps)} operations per month.`
      : `$${feeCents / 100} per month, ${count(monthlyOps)} operations included.`;
  const versions =
    retainedVersions === 1
      ? 'Keeps one version: a rotation makes older ciphertext unreadable.'
      : `The newest ${retainedVersions} versions can decrypt.`;
  return `${price} ${TIER_KEYS[tier]}${versions} You cannot change the tier later.`;
}

export const ROLES = {
  texts: {
    owner: 'Can do everything.',
    admin: 'Can do everything except manage members, invitations and the subscription.',
    auditor: 'Can see everything and change nothing.',
  },
  notAllowed: {
    owner: '',
    admin: 'Your role is admin. Only an owner can do this.',
    auditor: 'Your role is auditor: you can see everything and change nothing. Ask an owner for another role.',
  },
} as const satisfies Record<string, Readonly<Record<Role, string>>>;

export const OVERVIEW = {
  title: 'Overview',
  operations: 'Operations by day',
  figures: 'Chart data',
  others: 'Others',
  day: 'Day (UTC)',
  key: 'Key',
  count: 'Operations',
  none: (month: string): string => `No operations in ${month}.`,
  noKeys: 'There were no keys in this month.',
  total: (ops: number, month: string): string => `${counted(ops, 'operation')} in ${month}`,
  allowance: 'Allowance used',
  allowanceColumns: ['Key', 'Operations', 'Of', 'Used'] as const,
  cost: 'Cost',
  month: 'Usage and cost',
  soFar: 'Cost so far',
  forecast: 'Forecast for the month',
  wholeMonth: 'Cost, also for the whole month',
  costNote: 'Fees assume that no key is deleted this month. Overage is added as it occurs.',
  attention: 'Needs attention',
  errors: (errors: number, orMore: boolean): string =>
    `${counted(errors, 'operation')}${orMore ? ' or more' : ''} failed in the last 24 hours.`,
  seeErrors: 'See them in Audit',
  pending: 'will be destroyed',
  frozen: 'is frozen',
  unused: 'has not been used for 90 days',
  expired: 'has expired',
  expires: (days: number): string => `expires in ${counted(days, 'day')}`,
  near: (used: string): string => `has used ${used} of its allowance`,
  start: 'Encrypt something in three steps',
  started: 'You encrypted your first value',
  startedText: 'From now on, this page shows your usage and costs instead of these steps.',
  hide: 'Hide these steps',
  fromProgram: 'or do it from a program:',
  together: 'Working with others?',
  nameTenant: 'Name your tenant',
  invite: 'Invite a colleague',
  steps: {
    key: 'Create a key',
    apiKey: 'Create an API key that can encrypt and decrypt',
    operation: 'Encrypt something',
  },
  done: 'done',
  toDo: 'to do',
} as const;

export const KEYS = {
  drawing: 'keys',
  title: 'Keys',
  create: 'Create key',
  search: 'Search by name or ID',
  columns: {
    name: 'Name',
    tier: 'Tier',
    container: 'Container',
    state: 'State',
    versions: 'Versions',
    ops: 'Operations this month',
    used: 'Last used',
  },
  notThisMonth: 'Not this month',
  tier: 'Tier',
  container: 'Container',
  empty: 'Your programs encrypt with keys that never leave the service.',
  states: { active: 'Active', pending_deletion: 'Pending deletion', frozen: 'Frozen' },
  freeze: 'Freeze',
  thaw: 'Thaw',
  rotate: 'Rotate',
  rename: 'Rename',
  delete: 'Delete',
  restore: 'Restore',
  destroy: 'Destroy now',
  opsOf: (ops: number, allowance: number): string => `${count(ops)} of ${count(allowance)}`,
  opsOfMonth: (ops: number, allowance: number): string =>
    `${count(ops)} of ${counted(allowance, 'operation')} (${percent(ops, allowance)})`,
  recentUse: ({ since, ops }: RotationPreview['recent']): string =>
    ops === 0
      ? `This key has not been used since ${dayName(since)}.`
      : `Since ${dayName(since)}, this key was used for ${counted(ops, 'operation')}.`,
  opsMonth: (ops: number): string =>
    ops === 0 ? 'This key was not used this month.' : `This key was used for ${counted(ops, 'operation')} this month.`,
  freezeTitle: (name: ComponentChildren): ComponentChildren => ['Freeze ', name],
  freezeText:
    'From now on, no program can use this key, and nobody can rotate it. Nothing is lost: you can thaw it at any time. Billing continues.',
  frozenNotice: 'This key is frozen: it can be neither used nor rotated. It was frozen',
  rotateFrozen: 'This key is frozen. Thaw it before you rotate it.',
  rotateTitle: (name: ComponentChildren): ComponentChildren => ['Rotate ', name],
  rotateLoses:
    'Everything encrypted with this key so far becomes unreadable forever. Before you rotate, decrypt what you want to keep. Rewrapping does not help.',
  rotateMakes: (next: number): string => `Version ${next} becomes the primary version. New data is encrypted with it.`,
  rotateKeeps: (versions: readonly number[]): string =>
    `${listed(versions.map((version) => `Version ${version}`))} can still decrypt.`,
  rotateRetires: (versions: readonly number[]): string =>
    versions.length === 0
      ? 'No version is retired. All older ciphertext can still be decrypted.'
      : `${listed(versions.map((version) => `Version ${version}`))} will be retired. Ciphertext that still needs ${versions.length === 1 ? 'it' : 'them'} becomes unreadable forever.`,
  olderUse: ({ since, ops, older_version_ops, last_older_use }: RotationPreview['recent']): string =>
    last_older_use === null
      ? `Since ${dayName(since)}, no operation of ${count(ops)} needed an older version than the primary one.`
      : `Since ${dayName(since)}, ${count(older_version_ops)} of ${counted(ops, 'operation')} needed an older version than the primary one, most recently on ${dayName(last_older_use)}.`,
  rewrapFirst: 'To keep ciphertext that still needs a retired version, rewrap it before you rotate:',
  rewrapLater: 'After rotating, rewrap your stored ciphertext before later rotations retire its version:',
  deleteTitle: (name: ComponentChildren): ComponentChildren => ['Delete ', name],
  deleteText:
    'The key stops working at once. You can restore it for seven days. Then it is destroyed, and everything encrypted with it becomes unreadable. Billing ends after today.',
  destroyTitle: (name: ComponentChildren): ComponentChildren => ['Destroy ', name, ' now'],
  destroyLoses:
    'Everything encrypted with this key becomes unreadable at once and forever. Nobody can undo this, not even the operator.',
  renameTitle: (name: ComponentChildren): ComponentChildren => ['Rename ', name],
  pendingNotice: 'This key refuses every operation. It will be destroyed',
  versions: 'Versions',
  version: (version: number): string => `Version ${version}`,
  primary: 'primary',
  nextToGo: 'retired by the next rotation',
  scheduled: 'destruction scheduled',
  enabled: 'enabled',
  operations: 'Operations by day',
  usedBy: 'Who can use it',
  seeUses: 'See audit',
  usedByNone: 'No API key can use this key yet.',
  usedByColumns: ['API key', 'Actions', 'Restricted to', 'Firewall', 'Last used this key'] as const,
  audit: 'Audit',
  use: 'How to use it',
  gone: 'Key not found',
  goneText: 'It was destroyed, or it belongs to another tenant.',
  facts: { id: 'ID', tier: 'Tier', container: 'Container', created: 'Created', usage: 'This month' },
  daysLeft: (days: number): string => `${counted(days, 'day')} left`,
} as const;

const USE: readonly Action[] = METERED;

export const ACTIONS = {
  label: 'Allowed actions',
  use: { title: 'Use keys', names: USE },
  manage: { title: 'Manage keys', names: ALL_ACTIONS.filter((action) => !USE.includes(action)) },
  presets: { encrypt: 'Encrypt only', decrypt: 'Decrypt only', all: 'All operations', none: 'None' },
} as const satisfies Record<string, unknown>;

export const ACTION_SETS: Readonly<Record<string, readonly Action[]>> = {
  encrypt: ['encrypt', 'wrap'],
  decrypt: ['decrypt', 'unwrap'],
  all: USE,
  none: [],
};

export const API_KEYS = {
  drawing: 'apiKeys',
  title: 'API keys',
  create: 'Create API key',
  createTitle: 'Create an API key',
  editTitle: (name: ComponentChildren): ComponentChildren => ['Edit ', name],
  edit: 'Edit',
  revoke: 'Revoke',
  revokeTitle: (name: ComponentChildren): ComponentChildren => ['Revoke ', name],
  revokeText:
    'This API key stops working immediately. You cannot undo this, but you can create a new API key at any time.',
  noToken: 'No token',
  wasUsed: 'It was last used',
  neverUsed: 'It has never been used.',
  search: 'Search by name, prefix or ID',
  columns: {
    name: 'Name',
    container: 'Container',
    actions: 'Actions',
    restrictions: 'Restrictions',
    state: 'State',
    created: 'Created',
    used: 'Last used',
  },
  states: { active: 'Active', unused: 'Unused for 90 days', expired: 'Expired' },
  expiresIn: (days: number): string => `Expires in ${counted(days, 'day')}`,
  expiresSoon: (days: number): string =>
    `This API key expires in ${counted(days, 'day')}. Programs that use it then get 401. To let it work longer, edit it.`,
  hasExpired: 'This API key has expired. Programs that use it get 401. To let it work again, edit it.',
  expiry: 'Expires',
  expiryHint: 'Your local time. Without a time, the API key does not expire.',
  withToken: 'Make a token',
  withTokenHint: 'Without a token, only workloads can use the API key.',
  by: (person: string): string => (person === '' ? '' : `by ${person}`),
  keys: 'Keys',
  keysHint: 'To allow every key in the container, select none.',
  searchKeys: 'Search the keys',
  keysSelected: (selected: number, all: number): string =>
    selected === 0 ? 'None selected.' : `${count(selected)} of ${count(all)} selected.`,
  firewall: 'Firewall',
  noFirewall: 'Any address',
  container: 'Container',
  empty: 'Programs call the service with an API key. It can do only what you allow.',
  unrestricted: 'None',
  destroyedKey: 'destroyed key',
  destroyedKeys: (keys: number): string => counted(keys, 'destroyed key'),
  dropsDestroyed: (keys: number): string =>
    `Saving removes ${keys === 1 ? 'the destroyed key' : `${count(keys)} destroyed keys`} from the list.`,
  onlyKeys: (keys: number): string => counted(keys, 'key'),
  everyKey: 'every key in its container',
  nothing: 'This API key cannot do anything yet.',
  sentence: (actions: readonly string[], keys: string, from: string): string =>
    `This API key can ${listed(actions)} with ${keys}, ${from}.`,
  fromAnywhere: 'from any address',
  fromNetworks: (firewall: string): string => `only from the networks of ${firewall}`,
  tokenTitle: (name: ComponentChildren): ComponentChildren => ['The token of ', name],
  tokenText:
    'This token is shown only once. Store it now where your program can read it. The service keeps only a hash.',
  tokenLabel: 'Token',
  envLabel: 'For an .env file',
  stored: 'I have stored it',
  done: 'Done',
  unstored:
    'You have not confirmed that you stored the token. It will not be shown again, and the API key is useless without it.',
  leaveAnyway: 'Close anyway',
  facts: {
    id: 'ID',
    prefix: 'Prefix',
    container: 'Container',
    created: 'Created',
    used: 'Last used',
    actions: 'Allowed actions',
    keys: 'Keys',
    firewall: 'Firewall',
    expires: 'Expires',
    workloads: 'Workloads',
  },
  changes: 'Changes',
  audit: 'Audit',
  gone: 'API key not found',
  goneText: 'It was revoked, or it belongs to another tenant.',
} as const;

export const WORKLOADS = {
  label: 'Workloads',
  hint: 'A workload uses the API key with an ID token of its platform, so it needs no stored token.',
  none: 'None',
  platform: 'Add a workload',
  choose: 'Choose a platform',
  platforms: {
    github: 'GitHub Actions',
    gitlab: 'GitLab',
    google: 'Google Cloud',
    kubernetes: 'Kubernetes',
  },
  issuer: 'Issuer',
  chooseIssuer: 'Choose an issuer',
  noIssuer: (usual: string | undefined): string =>
    usual === undefined
      ? 'The issuer of your cluster. This command prints it: kubectl get --raw /.well-known/openid-configuration'
      : `The operator does not allow ID tokens of ${usual}. If yours come from another issuer, choose it.`,
  fields: {
    github: [
      {
        name: 'repository',
        label: 'Repository ID',
        hint: 'The number that this command prints: gh api repos/OWNER/NAME --jq .id',
      },
      {
        name: 'branch',
        label: 'Branch',
        hint: 'Only pushes to this branch match. Without a branch, every job of the repository matches.',
      },
    ],
    gitlab: [
      { name: 'project', label: 'Project ID', hint: 'The number on the page of the project.' },
      {
        name: 'branch',
        label: 'Branch',
        hint: 'Only jobs of this branch match, if it is protected. Without a branch, every job of the project matches.',
      },
    ],
    google: [
      {
        name: 'account',
        label: 'Unique ID of the service account',
        hint: "The number that this command prints: gcloud iam service-accounts describe EMAIL --format='value(uniqueId)'",
      },
    ],
    kubernetes: [
      { name: 'namespace', label: 'Namespace', hint: 'The namespace of the pod.' },
      { name: 'account', label: 'Service account', hint: 'The serviceAccountName of the pod.' },
    ],
  },
  claims: 'The ID token must have these claims',
  add: 'Add workload',
  addFirst: 'Add the workload below first, or choose no platform.',
  remove: 'Remove',
} as const;

export const CONTAINERS = {
  drawing: 'containers',
  title: 'Containers',
  create: 'Create container',
  createTitle: 'Create a container',
  columns: { name: 'Name', keys: 'Keys', apiKeys: 'API keys', firewalls: 'Firewalls', created: 'Created' },
  isDefault: 'default',
  rename: 'Rename',
  renameTitle: (name: ComponentChildren): ComponentChildren => ['Rename ', name],
  delete: 'Delete',
  deleteTitle: (name: ComponentChildren): ComponentChildren => ['Delete ', name],
  deleteText: 'The container is empty. Deleting it affects nothing else.',
  notKnown: 'It is not known yet what the container holds. A container that is not empty cannot be deleted.',
  notEmpty: 'A container must be empty before it can be deleted.',
  why: 'An API key sees only its own container. Use containers to separate programs, or to separate test from production.',
  gone: 'Container not found',
  goneText: 'It was deleted, or it belongs to another tenant.',
  holds: 'Contents',
  kinds: { key: 'Key', apiKey: 'API key', firewall: 'Firewall' },
  kind: 'Kind',
  changes: 'Changes',
  nothing: 'This container is empty.',
  search: 'Search by name',
} as const;

const usersOf = (apiKeys: number | undefined): string => {
  if (apiKeys === undefined) return 'It is not known yet how many API keys use this firewall.';
  if (apiKeys === 0) return 'No API key uses this firewall.';
  return `${counted(apiKeys, 'API key')} ${apiKeys === 1 ? 'uses' : 'use'} this firewall.`;
};

export const FIREWALLS = {
  drawing: 'firewalls',
  title: 'Firewalls',
  create: 'Create firewall',
  createTitle: 'Create a firewall',
  columns: { name: 'Name', networks: 'Networks', container: 'Container', apiKeys: 'API keys', updated: 'Changed' },
  further: (networks: number): string => `and ${count(networks)} more`,
  networks: 'Networks',
  networksHint: 'One address or network per line, such as 192.0.2.0/24 or 2001:db8::/32. At most 64.',
  addOwn: (address: string): string => `Add your address, ${address}`,
  isInside: (address: string): string => `Your address, ${address}, is in these networks.`,
  isOutside: (address: string): string =>
    `Your address, ${address}, is not in these networks. API keys with this firewall do not work from it.`,
  container: 'Container',
  empty: 'A firewall is a list of networks. An API key with a firewall works only from those networks.',
  edit: 'Edit',
  editTitle: (name: ComponentChildren): ComponentChildren => ['Edit ', name],
  editText: (apiKeys: number | undefined): string =>
    apiKeys === 0 ? usersOf(apiKeys) : `${usersOf(apiKeys)} A change applies from the next request.`,
  delete: 'Delete',
  deleteTitle: (name: ComponentChildren): ComponentChildren => ['Delete ', name],
  deleteText: (apiKeys: number | undefined): string =>
    apiKeys === 0 ? usersOf(apiKeys) : `${usersOf(apiKeys)} A firewall in use cannot be deleted.`,
  heldTo: 'API keys with this firewall',
  nobody: 'None. Select this firewall when you create or edit an API key.',
  changes: 'Changes',
  gone: 'Firewall not found',
  goneText: 'It was deleted, or it belongs to another tenant.',
  search: 'Search by name or network',
} as const;

/** The time spans that a person can choose on the audit page. */
export const SPANS: readonly { readonly hours: number; readonly text: string }[] = [
  { hours: 1, text: 'Last hour' },
  { hours: 24, text: 'Last 24 hours' },
  { hours: 24 * 7, text: 'Last 7 days' },
];

export const AUDIT = {
  title: 'Audit',
  changes: 'Changes',
  field: 'Field',
  beforeAndAfter: 'Before → after',
  value: 'Value',
  noValue: 'none',
  noRestriction: { key_ids: API_KEYS.everyKey, firewall_id: 'any address', expires_at: 'never' },
  tooLong: (length: number, hash: string): string => `a value of length ${count(length)}, SHA-256 ${hash}`,
  filters: 'Filters',
  key: 'Key',
  operation: 'Operation',
  result: 'Result',
  since: 'Since',
  until: 'Until',
  any: 'Any',
  columns: { ts: 'Time', operation: 'Operation', result: 'Result', target: 'Target', who: 'Who', request: 'Request' },
  groups: { keys: 'Keys', administration: 'Administration' },
  allAdministration: 'All administration',
  exportCsv: 'Export CSV',
  exportJson: 'Export JSON',
  exporting: (rows: number): string => `Exporting… ${counted(rows, 'event')}`,
  empty: 'Nothing recorded yet. Every use of a key and every change to the tenant appears here.',
  noMatch: 'No events match these filters.',
  clear: 'Clear filters',
  live: 'Follow',
  details: 'All fields',
  service: 'the service',
  you: 'you',
  tenant: 'this tenant',
  apiKeyChip: (name: string): string => `API key: ${name}`,
  personChip: (name: string): string => `Person: ${name}`,
  targetChip: (name: string): string => `Target: ${name}`,
  remove: (what: string): string => `Remove the filter ${what}`,
  all: 'Show all in Audit',
  localHint: 'In your time zone, such as 2026-11-01 08:00.',
  understood: (time: string): string => `Understood as ${time}.`,
  notUnderstood: 'This is not a date or a time.',
  unreadable: (names: readonly string[]): string =>
    `This address has ${names.length === 1 ? 'a filter' : 'filters'} that cannot be read: ${listed(names)}.`,
  unreadableAdvice: 'Nothing is shown or exported, because the rest of the address would select too much.',
  none: 'Nothing recorded yet.',
  sealedUpTo: 'Sealed up to',
  nothingSealed: 'Nothing is sealed yet. Events are sealed every ten minutes.',
  sealingIsLate:
    'Sealing is late: some events have waited more than 30 minutes for a seal. If this lasts more than an hour, tell the operator.',
  sealingUnknown: 'The seals could not be loaded.',
  notSealedYet: 'Not sealed yet.',
  inSeal: (index: number): string => `Sealed in seal ${index}.`,
  notInSeal: 'The seal for this time does not contain this event. Run esk audit verify to see what was changed.',
} as const;

export const MEMBERS = {
  title: 'Members',
  tenant: 'Tenant',
  rename: 'Rename',
  renameTitle: 'Rename the tenant',
  yourRole: 'Your role',
  people: 'People',
  search: 'Search by name or email',
  columns: { name: 'Name', email: 'Email', role: 'Role', joined: 'Joined', actions: 'Actions' },
  you: 'you',
  changeRole: 'Change role',
  changeRoleTitle: (name: ComponentChildren): ComponentChildren => ['Change the role of ', name],
  role: 'Role',
  remove: 'Remove',
  removeTitle: (name: ComponentChildren): ComponentChildren => ['Remove ', name],
  removeText: 'They lose access from their next request. Invitations that they created are revoked.',
  keysGoOn:
    'API keys belong to the tenant, so these, which they created, keep working. Revoke those whose tokens they may still have:',
  noKeys: 'They created no API key that still works.',
  leave: 'Leave',
  leaveTitle: 'Leave this tenant',
  leaveText:
    'You lose access immediately, and invitations that you created are revoked. You then get a new, empty tenant.',
  onlyOwner: 'You are the only owner. Make another member an owner before you leave.',
  invite: 'Invite member',
  inviteTitle: 'Invite a member',
  inviteSubmit: 'Create invitation',
  note: 'Note (optional)',
  noteHint: 'For example, who it is for. The invited person sees it, too.',
  linkTitle: 'Your invitation link',
  linkText:
    'Send this link to the person you invite. It is shown only once, works once, and expires in seven days. Anyone who has it can join.',
  link: 'Invitation link',
  done: 'Done',
  invitations: 'Invitations',
  noInvitations: 'No open invitations.',
  invitationColumns: { role: 'Role', note: 'Note', by: 'Invited by', expires: 'Expires', actions: 'Actions' },
  revoke: 'Revoke',
  revokeTitle: 'Revoke the invitation',
  revokeText: 'Its link stops working immediately.',
  invitationAs: (role: Role): string => `invitation as ${role}`,
} as const;

export const JOIN = {
  title: (tenant: string | null): string => (tenant === null ? 'Join a tenant' : `Join ${tenant}`),
  anyone: 'A member',
  invited: (by: ComponentChildren, tenant: ComponentChildren, role: Role): ComponentChildren => [
    by,
    ' invites you to join ',
    tenant,
    ` as ${role}.`,
  ],
  theirTenant: 'their tenant',
  note: 'Note:',
  ownTenant:
    'Joining replaces your current tenant. That tenant must be unused: it never had a key or a subscription, and has no API keys and no other members.',
  signedInAs: (name: string): string => `You are signed in as ${name}.`,
  expires: 'The invitation expires',
  join: 'Join',
  notNow: 'Not now',
  gone: 'This invitation does not work',
  goneText: 'It was already used, it was revoked, or it expired. Ask for a new one.',
} as const;

export const BILLING = {
  title: 'Billing',
  good: 'Billing is in good standing.',
  goodMeans: 'Every operation works, and you can create keys of every tier.',
  bad: 'Billing is not in good standing.',
  badMeans:
    'You cannot create paid keys, or encrypt, wrap or rewrap with them. You can still decrypt and unwrap. Free keys are not affected.',
  badForKeys: 'Your paid keys can decrypt and unwrap, but they refuse to encrypt, wrap and rewrap.',
  badForKey: 'This key can decrypt and unwrap, but it refuses to encrypt, wrap and rewrap.',
  see: 'See billing',
  subscription: (status: string | undefined): string =>
    status === undefined ? 'There is no subscription.' : `The subscription is ${status}.`,
  onlyFree: 'Free keys work. Paid keys need a subscription.',
  confirming: 'Thank you. The payment is being confirmed, which can take a minute.',
  checkout: 'Subscribe',
  portal: 'Manage subscription',
  onlyOwner: 'Only an owner can change the subscription.',
  statement: 'Statement',
  columns: {
    key: 'Key',
    fee: 'Fee',
    ops: 'Operations',
    allowance: 'Allowance',
    overage: 'Overage',
    overageCost: 'Overage cost',
    sum: 'Sum',
  },
  total: 'Total',
  noLines: 'There were no paid keys in this month.',
  existed: (tier: string, days: number, of: number): string => `${tier} · ${days} of ${of} days`,
  absent: 'Billing is not configured',
  absentText: 'Every tenant can create keys of every tier.',
  rounding: 'Each line is exact. Only the total is rounded, to a whole cent.',
} as const;

export const WAYS = {
  curl: 'curl',
  curlCreating: 'curl, with an API key that can create keys',
  curlPerson: "curl, with a person's access token",
  esk: 'esk',
  library: 'TypeScript',
} as const;

export const REFERENCE = {
  title: 'API reference',
  search: 'Search by title, path, field or code',
  found: (found: number, all: number): string => `${count(found)} of ${counted(all, 'operation')}`,
  key: 'Key in the examples',
  intro:
    'Send a credential as Authorization: Bearer …: the token of an API key, or the access token of a signed-in person. Binary fields are base64, and times are RFC 3339 in UTC.',
  variables: 'Variables in the examples',
  variablesText:
    'Set these in your shell, then paste any curl example. In TypeScript, service is an EncryptionService, and the names in capitals are constants with the same values.',
  shared: 'Shared errors',
  sharedText: 'All routes of a kind can answer these codes. Each operation lists only its other codes.',
  credential: 'Credential',
  audited: 'Audit log',
  answers: 'Answers',
  parameters: 'Parameters',
  body: 'Body',
  answer: 'Answer',
  example: 'Example',
  errors: 'Errors',
  required: 'required',
  optional: 'optional',
  objects: 'Objects',
  codes: 'Error codes',
  link: 'Link',
} as const;

export const STATUS = {
  title: 'Status',
  again: 'Check again',
  see: 'See what does not work',
  source: 'your session',
  withoutSession: 'Sign in to check your session, role, billing and allowances, too.',
  notChecked: { found: 'Not checked, because the service was not reached.', advice: null },
  noSettings: {
    found: 'The service did not say where to sign in.',
    advice: 'Try again later. If the check still fails, tell the operator.',
  },
  providerAnswers: (issuer: string): string => `The identity provider at ${issuer} answers.`,
  providerFails: (issuer: string) => ({
    found: `The identity provider at ${issuer} does not answer as expected.`,
    advice: 'Nobody can sign in until it does. Try again later. If the check still fails, tell the operator.',
  }),
  checks: {
    address: 'Address',
    tls: 'Encryption on the way',
    clock: 'Clock',
    readiness: 'Service',
    credential: 'Session',
    firewall: 'Your address',
    rights: 'Your role',
    billing: 'Billing',
    allowance: 'Allowances',
    sign_in: 'Sign-in',
  } satisfies Record<Finding['check'] | 'sign_in', string>,
  states: { ok: 'OK', warn: 'Needs attention', fail: 'Does not work', skipped: 'Not checked' } satisfies Record<
    Finding['state'],
    string
  >,
  summary: (findings: readonly Pick<Finding, 'state'>[]): string => {
    const failed = findings.filter(({ state }) => state === 'fail').length;
    const warned = findings.filter(({ state }) => state === 'warn').length;
    if (failed > 0) return `${counted(failed, 'check')} failed.`;
    return warned > 0 ? `Everything works. ${counted(warned, 'thing')} may need attention.` : 'Everything works.';
  },
} as const;

export const PALETTE = {
  title: 'Go to',
  field: 'Page, command, name or ID',
  none: 'No results.',
  page: 'page',
  key: 'key',
  apiKey: 'API key',
  command: 'command',
} as const;

/** The explanation of an error: what happened, and what to do. */
export interface Explanation {
  readonly happened: string;
  readonly advice: string;
}

export const FAILURES: Partial<Record<ErrorCode, Explanation>> = {
  unauthorized: {
    happened: 'Your session ended.',
    advice: 'Sign in again. You will return to this page, and nothing you typed is lost.',
  },
  unreachable: { happened: 'We could not reach the service.', advice: 'Nothing was changed. Try again in a moment.' },
  answer_lost: {
    happened: 'We could not reach the service.',
    advice: 'Your change may have been made. Check before you try again.',
  },
  deadline_exceeded: {
    happened: 'The service took too long to answer.',
    advice: 'Your change may have been made. Check before you try again.',
  },
  unavailable: {
    happened: 'The service is busy, or a part of it is not responding.',
    advice: 'Try again in a moment.',
  },
  internal_error: {
    happened: 'Something went wrong in the service.',
    advice:
      'Your change may have been made. Check before you try again. If it happens again, send the request id to the operator.',
  },
  rate_limited: { happened: 'Too many requests.', advice: 'Wait a moment, then try again.' },
  billing_required: {
    happened: 'Paid keys need billing in good standing.',
    advice: 'Set up billing on the Billing page, or choose the free tier.',
  },
  key_exists: {
    happened: 'A key in this container already has this name.',
    advice: 'Choose another name. If a key pending deletion has it, restore that key, or destroy it to free the name.',
  },
  free_key_exists: {
    happened: 'You already have a free key, and only one is allowed.',
    advice: 'Choose another tier, or destroy the existing free key first.',
  },
  container_exists: { happened: 'A container already has this name.', advice: 'Choose another name.' },
  firewall_exists: { happened: 'A firewall in this container already has this name.', advice: 'Choose another name.' },
  container_not_empty: {
    happened: 'The container is not empty.',
    advice: 'Remove its keys, API keys and firewalls first. A key pending deletion counts until it is destroyed.',
  },
  container_is_default: { happened: 'The default container cannot be deleted.', advice: 'You can rename it.' },
  firewall_in_use: {
    happened: 'API keys still use this firewall.',
    advice: 'First give these API keys another firewall, or none.',
  },
  key_pending_deletion: { happened: 'The key is pending deletion.', advice: 'Restore it first.' },
  key_frozen: { happened: 'The key is frozen.', advice: 'Thaw it first.' },
  restore_window_closed: {
    happened: 'This key can no longer be restored.',
    advice: 'The seven days have passed, and the key is being destroyed.',
  },
  not_pending_deletion: { happened: 'The key is no longer pending deletion.', advice: 'Reload the page.' },
  not_found: { happened: 'This item no longer exists.', advice: 'Someone else may have removed it.' },
  limit_reached: { happened: 'You have reached the limit.', advice: 'First remove something that you no longer need.' },
  invalid_name: {
    happened: 'This name is not allowed.',
    advice: 'Use 1 to 128 characters: not only spaces, and no control characters.',
  },
  invalid_key_ids: {
    happened: 'This list of keys is not valid.',
    advice: 'Select 1 to 100 keys, or none to allow every key in the container.',
  },
  invalid_allowed_ips: {
    happened: 'A network is not valid.',
    advice:
      'Enter 1 to 64 addresses or networks, one per line. A network begins with its first address, such as 10.0.0.0/8.',
  },
  invalid_query: { happened: 'A filter is not valid.', advice: 'Change this filter, or clear all filters.' },
  role_not_allowed: {
    happened: 'Your role does not allow this.',
    advice: 'Ask an owner for another role. The Members page shows who the owners are.',
  },
  no_tenant: { happened: 'You are no longer a member of this tenant.', advice: 'Reload the page.' },
  last_owner: {
    happened: 'This person is the only owner.',
    advice: 'First make another member an owner.',
  },
  already_member: {
    happened: 'You cannot join with this account.',
    advice:
      'You are already a member of this tenant, or your own tenant is in use. Leave your tenant first, or sign in with another account.',
  },
  billing_active: { happened: 'You already have a subscription.', advice: 'Manage that subscription instead.' },
  billing_not_set_up: { happened: 'There is no subscription.', advice: 'Subscribe first.' },
};

export const UNREACHED: Explanation = { happened: 'We could not reach the service.', advice: 'Try again in a moment.' };

/** Explanations for failed requests that only read. */
export const READING_FAILURES: Partial<Record<ErrorCode, Explanation>> = {
  unreachable: UNREACHED,
  answer_lost: UNREACHED,
  deadline_exceeded: { happened: 'The service took too long to answer.', advice: 'Try again in a moment.' },
  internal_error: {
    happened: 'Something went wrong in the service.',
    advice: 'Try again in a moment. If it happens again, send the request id to the operator.',
  },
};

/** The advice for such a request if the console repeats it. */
export const REPEATED = 'Trying again automatically. You can also try now.';

export const UNKNOWN_FAILURE: Explanation = { happened: 'Something went wrong.', advice: 'Try again.' };
export const NO_PROVIDER: Explanation = {
  happened: 'Sign-in failed.',
  advice: 'Try again. If it fails again, tell the operator: the identity provider or its settings may be wrong.',
};
export const PROVIDER_UNREACHED: Explanation = {
  happened: 'We could not reach the identity provider.',
  advice: 'You are not signed in, and nothing was changed. Check your network, or try again in a moment.',
};
export const OFFLINE: Explanation = {
  happened: 'You are offline.',
  advice: 'The page loads again as soon as you are back online.',
};
export const CHANGED_MEANWHILE: Explanation = {
  happened: 'Somebody else has changed this since you opened the form.',
  advice: 'Nothing was saved. Close the form to see the change, then edit again.',
};
export const NO_CONFIG: Explanation = {
  happened: 'The console is not configured.',
  advice: 'config.json must contain the address of the service.',
};
