import type { Action, ErrorCode, Tier } from '../../client/src/index.ts';

/** Every word that the console says, so that the same thing has the same name everywhere. */
const number = new Intl.NumberFormat('en-US');

/** A count with thousands separated. */
export const count = (value: number): string => number.format(value);

const short = new Intl.NumberFormat('en-US', { notation: 'compact' });

/** A round count in few letters, such as 50K. */
export const countInShort = (value: number): string => short.format(value);

/** A count with its noun, in the number that it needs. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/** Cents as dollars with two places. */
export const money = (cents: number): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(Math.round(cents) / 100);

/** Cents as dollars to the last place that they have, five of them at least two. */
export const exactMoney = (cents: string): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 7 }).format(
    Number(cents) / 100,
  );

/** A part of a whole in percent. */
export const percent = (part: number, whole: number): string =>
  whole === 0 ? '0 %' : `${number.format(Math.round((100 * part) / whole))} %`;

const monthWords = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** A month of the API, such as 2026-11, by its name. */
export const monthName = (period: string): string => monthWords.format(new Date(`${period}-01T00:00:00Z`));

const list = new Intl.ListFormat('en-US', { style: 'long', type: 'conjunction' });

/** Several things in a sentence. */
export const listed = (things: readonly string[]): string => list.format(things);

export const MONTHS = { previous: 'Previous month', next: 'Next month' } as const;

export const NAV = {
  label: 'Pages',
  menu: 'Menu',
  overview: 'Overview',
  keys: 'Keys',
  apiKeys: 'API keys',
  containers: 'Containers',
  firewalls: 'Firewalls',
  audit: 'Audit',
  billing: 'Billing',
} as const;

export const SHELL = {
  product: 'Encryption Service',
  skip: 'Skip to the page',
  signOut: 'Sign out',
  search: 'Go to…',
  theme: 'Theme',
  themes: { system: 'As the system', light: 'Light', dark: 'Dark' },
  unknownPage: 'There is no such page',
  unknownPageText: 'The address names nothing in the console. All there is can be reached from',
} as const;

export const SIGN_IN = {
  what: 'Create keys, say who may use them, and see every use: the console of the encryption service.',
  button: 'Sign in',
  leaving: 'Signing you in…',
  why: {
    first: '',
    ended: 'Your session ended. Sign in to go on where you were.',
    'signed-out': 'You are signed out.',
  },
} as const;

export const COMMON = {
  cancel: 'Cancel',
  close: 'Close',
  create: 'Create',
  save: 'Save',
  tryAgain: 'Try again',
  copy: 'Copy',
  copied: 'Copied',
  copyLine: 'Copy this line',
  loading: 'Loading…',
  more: 'Show more',
  none: 'None',
  never: 'Never',
  name: 'Name',
  created: 'Created',
  requestId: 'Request',
  discard: 'You typed something that is not saved.',
  discardYes: 'Discard it',
  discardNo: 'Go on editing',
  confirmName: "Type the key's name to confirm",
  nothingMatches: 'Nothing matches.',
  clearSearch: 'Clear the search',
  shown: (shown: number, all: number): string => `${count(shown)} of ${count(all)}`,
  unknown: 'Not known at the moment.',
  outdated: 'What is shown may be out of date.',
} as const;

export const TIER_TEXT: Readonly<Record<Tier, string>> = {
  free: 'Free. 10,000 operations a month, then refused. One version: a rotation loses all older ciphertext.',
  wrapped: '$3 a month with 50,000 operations. One version: a rotation loses all older ciphertext.',
  software: '$10 a month with 100,000 operations. A key of its own in the KMS; the newest 3 versions decrypt.',
  hsm: '$35 a month with 250,000 operations. A key of its own in hardware; the newest 2 versions decrypt.',
};

export const OVERVIEW = {
  title: 'Overview',
  operations: 'Operations by day',
  figures: 'Figures of the plot',
  others: 'Others',
  day: 'Day',
  key: 'Key',
  count: 'Operations',
  none: (month: string): string => `No operation in ${month}.`,
  noKeys: 'No key existed in this month.',
  total: (ops: number, month: string): string => `${counted(ops, 'operation')} in ${month}`,
  allowance: 'Allowance used',
  allowanceColumns: ['Key', 'Operations', 'Of', 'Used'] as const,
  cost: 'Cost',
  soFar: 'This month so far',
  heading: 'Heading for, at this pace',
  costNote:
    'Fees count the days to come of every key that exists; operations past an allowance count as they are made.',
  pending: 'Keys pending deletion',
  unused: 'API keys unused for 90 days',
  near: 'Allowances above 80 %',
  start: 'Three steps to your first ciphertext',
  started: 'Your first ciphertext is made',
  startedText: 'From now on this page shows what is used and what it costs. The steps are gone when you come back.',
  hide: 'Hide the steps',
  fromProgram: 'here, or from a program:',
  steps: {
    key: 'Create a key',
    apiKey: 'Create an API key that may encrypt and decrypt',
    operation: 'Encrypt something',
  },
  done: 'done',
  toDo: 'to do',
} as const;

export const KEYS = {
  title: 'Keys',
  create: 'Create key',
  search: 'Search by name',
  columns: {
    name: 'Name',
    tier: 'Tier',
    container: 'Container',
    state: 'State',
    versions: 'Versions',
    ops: 'Operations this month',
  },
  tier: 'Tier',
  container: 'Container',
  empty: 'A key encrypts for your programs and never leaves the service. Create the first one here, or so:',
  states: { active: 'Active', pending_deletion: 'Pending deletion' },
  rotate: 'Rotate',
  rename: 'Rename',
  delete: 'Delete',
  restore: 'Restore',
  destroy: 'Destroy now',
  opsOf: (ops: number, allowance: number): string => `${count(ops)} of ${count(allowance)}`,
  opsOfMonth: (ops: number, allowance: number): string =>
    `${count(ops)} of ${counted(allowance, 'operation')} (${percent(ops, allowance)})`,
  opsMonth: (ops: number): string =>
    ops === 0
      ? 'No operation was made under this key this month.'
      : `${counted(ops, 'operation')} under this key this month.`,
  rotateTitle: (name: string): string => `Rotate ${name}`,
  rotateLoses:
    'Everything encrypted under this key so far can never be decrypted again. Decrypt what you want to keep first: rewrapping afterwards does not help.',
  rotateKeeps: (next: number): string =>
    `Version ${next} becomes the primary one: what is encrypted from then on needs it.`,
  rotateRetires: (versions: readonly number[]): string =>
    versions.length === 0
      ? 'No version is retired; all older ciphertext still decrypts.'
      : `${versions.map((version) => `Version ${version}`).join(', ')} is retired: what was encrypted under it and was not rewrapped can never be decrypted again.`,
  rewrapHint: 'Then rewrap what you stored, before the next rotations retire the versions it needs:',
  deleteTitle: (name: string): string => `Delete ${name}`,
  deleteText:
    'The key refuses every operation at once. For seven days it can be restored, then it is destroyed with everything encrypted under it. Billing ends after today.',
  destroyTitle: (name: string): string => `Destroy ${name} now`,
  destroyLoses:
    'Everything ever encrypted under this key is lost at once and for good. Nobody can undo this, not even the operator.',
  renameTitle: (name: string): string => `Rename ${name}`,
  pendingNotice: 'It refuses every operation, and is destroyed',
  versions: 'Versions',
  version: (version: number): string => `Version ${version}`,
  primary: 'primary',
  nextToGo: 'retired by the next rotation',
  scheduled: 'destruction scheduled',
  enabled: 'enabled',
  operations: 'Operations by day',
  usedBy: 'Who may use it',
  usedByNone: 'No API key may use it yet.',
  usedByColumns: ['API key', 'Actions', 'Restricted to', 'Firewall'] as const,
  audit: 'Audit',
  use: 'How to use it',
  gone: 'This key is not there',
  goneText: 'It was destroyed, or never was one of yours.',
  facts: { id: 'Id', tier: 'Tier', container: 'Container', created: 'Created', usage: 'This month' },
  daysLeft: (days: number): string => `${counted(days, 'day')} left`,
} as const;

export const ACTIONS = {
  label: 'Allowed actions',
  use: { title: 'Use keys', names: ['encrypt', 'decrypt', 'wrap', 'unwrap', 'rewrap'] },
  manage: { title: 'Manage keys', names: ['rotate', 'create', 'rename', 'delete', 'restore'] },
  presets: { encrypt: 'Only encrypting', decrypt: 'Only decrypting', all: 'All operations', none: 'Nothing' },
} as const satisfies Record<string, unknown>;

export const ACTION_SETS: Readonly<Record<string, readonly Action[]>> = {
  encrypt: ['encrypt', 'wrap'],
  decrypt: ['decrypt', 'unwrap'],
  all: ['encrypt', 'decrypt', 'wrap', 'unwrap', 'rewrap'],
  none: [],
};

export const API_KEYS = {
  title: 'API keys',
  create: 'Create API key',
  createTitle: 'Create an API key',
  editTitle: (name: string): string => `Edit ${name}`,
  edit: 'Edit',
  revoke: 'Revoke',
  revokeTitle: (name: string): string => `Revoke ${name}`,
  revokeText:
    'Whatever still uses this API key is refused from its next request on. It cannot be taken back; a new API key can be created at any time.',
  search: 'Search by name or prefix',
  columns: {
    name: 'Name',
    prefix: 'Prefix',
    container: 'Container',
    actions: 'Actions',
    restrictions: 'Restrictions',
    used: 'Last used',
  },
  keys: 'Keys',
  keysHint: 'None chosen: every key of the container. Ctrl or ⌘ chooses several.',
  firewall: 'Firewall',
  noFirewall: 'From any address',
  container: 'Container',
  empty: 'A program calls the service with an API key, which may do only what you tick. Create one here, or so:',
  unrestricted: 'None',
  onlyKeys: (keys: number): string => counted(keys, 'key'),
  everyKey: 'every key of its container',
  nothing: 'This API key may do nothing yet.',
  sentence: (actions: readonly string[], keys: string, from: string): string =>
    `This API key may ${listed(actions)} with ${keys}, ${from}.`,
  fromAnywhere: 'from any address',
  fromNetworks: (firewall: string): string => `from the networks of ${firewall} alone`,
  tokenTitle: (name: string): string => `The token of ${name}`,
  tokenText: 'This token is shown once. The service keeps only a hash of it: store it now where your program reads it.',
  tokenLabel: 'Token',
  envLabel: 'As a line of an .env file',
  stored: 'I have stored it',
  done: 'Done',
  unstored:
    'You have not said that the token is stored. Without it this API key is of no use, and it is not shown again.',
  leaveAnyway: 'Close without storing it',
  facts: {
    id: 'Id',
    prefix: 'Prefix',
    container: 'Container',
    created: 'Created',
    used: 'Last used',
    actions: 'Allowed actions',
    keys: 'Keys',
    firewall: 'Firewall',
  },
  audit: 'Audit',
  gone: 'This API key is not there',
  goneText: 'It was revoked, or never was one of yours.',
} as const;

export const CONTAINERS = {
  title: 'Containers',
  create: 'Create container',
  createTitle: 'Create a container',
  columns: { name: 'Name', keys: 'Keys', apiKeys: 'API keys', firewalls: 'Firewalls', created: 'Created' },
  isDefault: 'default',
  rename: 'Rename',
  renameTitle: (name: string): string => `Rename ${name}`,
  delete: 'Delete',
  deleteTitle: (name: string): string => `Delete ${name}`,
  deleteText: 'Only an empty container can be deleted. Nothing else changes.',
  notEmpty: 'It still holds something, so it cannot be deleted.',
  why: 'An API key never sees outside its container. Use containers to keep programs, or stages such as test and production, apart.',
  gone: 'This container is not there',
  goneText: 'It was deleted, or never was one of yours.',
  holds: 'What is in it',
  kinds: { key: 'Key', apiKey: 'API key', firewall: 'Firewall' },
  kind: 'Kind',
  nothing: 'Nothing is in it yet.',
  search: 'Search by name',
} as const;

export const FIREWALLS = {
  title: 'Firewalls',
  create: 'Create firewall',
  createTitle: 'Create a firewall',
  columns: { name: 'Name', networks: 'Networks', container: 'Container', apiKeys: 'API keys', updated: 'Changed' },
  further: (networks: number): string => `and ${count(networks)} more`,
  networks: 'Networks',
  networksHint: 'One a line: an address or a network, such as 192.0.2.0/24 or 2001:db8::/32. 1 to 64 of them.',
  container: 'Container',
  empty: 'A firewall is a list of networks; an API key held to it works from nowhere else. Create one here, or so:',
  edit: 'Edit',
  editTitle: (name: string): string => `Edit ${name}`,
  editText: (apiKeys: number): string =>
    apiKeys === 0
      ? 'No API key is held to it.'
      : `Held to it: ${counted(apiKeys, 'API key')}. A change counts from the next request on.`,
  delete: 'Delete',
  deleteTitle: (name: string): string => `Delete ${name}`,
  deleteText: (apiKeys: number): string =>
    apiKeys === 0
      ? 'No API key is held to it.'
      : `Held to it: ${counted(apiKeys, 'API key')}. A firewall in use cannot be deleted.`,
  heldTo: 'API keys held to it',
  nobody: 'None. Choose it when you create or edit an API key.',
  gone: 'This firewall is not there',
  goneText: 'It was deleted, or never was one of yours.',
  search: 'Search by name or network',
} as const;

export const AUDIT = {
  title: 'Audit',
  filters: 'Filters',
  key: 'Key',
  operation: 'Operation',
  result: 'Result',
  since: 'Since',
  until: 'Until',
  any: 'Any',
  columns: { ts: 'Time', operation: 'Operation', result: 'Result', key: 'Key', who: 'Who', request: 'Request' },
  exportCsv: 'Export CSV',
  exportJson: 'Export JSON',
  exporting: (rows: number): string => `Reading… ${counted(rows, 'row')}`,
  empty: 'Nothing is recorded yet. Every use and change of a key will be here.',
  noMatch: 'No row matches these filters.',
  clear: 'Clear filters',
  live: 'Follow',
  details: 'All fields',
  service: 'the service',
  you: 'you',
  apiKeyChip: (name: string): string => `API key: ${name}`,
  personChip: (id: string): string => `Person: ${id}`,
  remove: (what: string): string => `Remove the filter ${what}`,
  all: 'All rows in Audit',
  utcHint: 'In your time zone.',
  none: 'Nothing is recorded yet.',
  sealedUpTo: 'Sealed up to',
  nothingSealed: 'Nothing is sealed yet: events are sealed every ten minutes.',
  sealingIsLate:
    'Sealing is late: events of more than half an hour ago are not sealed yet. Whoever runs the service is told.',
  sealingUnknown: 'How far the log is sealed could not be read.',
  notSealedYet: 'Not sealed yet.',
  inSeal: (index: number): string => `Sealed, in seal ${index}.`,
  notInSeal: 'The seal of this time does not have this event: esk audit verify tells what was changed.',
} as const;

export const BILLING = {
  title: 'Billing',
  good: 'Billing is in good standing.',
  goodMeans: 'Every operation works, and keys of every tier can be created.',
  bad: 'Billing is not in good standing.',
  badMeans:
    'encrypt, wrap and rewrap on paid keys are refused, and no paid key can be created. decrypt and unwrap keep working, and free keys do all.',
  subscription: (status: string): string => `Subscription: ${status}.`,
  noSubscription: 'There is no subscription yet.',
  checkout: 'Subscribe',
  portal: 'Manage the subscription',
  statement: 'Statement',
  columns: {
    key: 'Key',
    fee: 'Fee',
    ops: 'Operations',
    allowance: 'Allowance',
    overage: 'Overage',
    overageCost: 'Cost of overage',
    sum: 'Sum',
  },
  total: 'Total',
  noLines: 'No paid key existed in this month.',
  existed: (tier: string, days: number, of: number): string => `${tier} · ${days} of ${of} days`,
  absent: 'This deployment has no billing',
  absentText: 'Every tier is open to every tenant.',
  rounding: 'Lines are exact; the total is rounded once, to a whole cent.',
} as const;

export const WAYS = {
  curl: 'curl',
  curlCreating: 'curl, with an API key that may create',
  curlPerson: "curl, with a person's access token",
  esk: 'esk',
  library: 'TypeScript',
} as const;

export const PALETTE = {
  title: 'Go to',
  field: 'Page, key, API key or command',
  none: 'Nothing has that name.',
  page: 'page',
  key: 'key',
  apiKey: 'API key',
  command: 'command',
} as const;

/** What is said of a failure: what happened, what still works, what to do. */
interface Explanation {
  readonly happened: string;
  readonly advice: string;
}

export const FAILURES: Partial<Record<ErrorCode, Explanation>> = {
  unauthorized: {
    happened: 'Your session ended.',
    advice: 'Sign in again; you come back to this place, with what you typed.',
  },
  unreachable: { happened: 'We could not reach the service.', advice: 'Nothing was changed. Try again in a moment.' },
  answer_lost: {
    happened: 'We could not reach the service.',
    advice: 'If you changed something, look whether it was done before you try again.',
  },
  deadline_exceeded: {
    happened: 'The service took too long to answer.',
    advice: 'If you changed something, look whether it was done before you try again.',
  },
  unavailable: {
    happened: 'The service is too busy, or a part behind it does not answer.',
    advice: 'Programs that get an answer are not affected. Try again in a moment.',
  },
  internal_error: {
    happened: 'The service could not do this.',
    advice: 'The fault is on its side. Try again in a moment; if it stays, give the request id to the operator.',
  },
  rate_limited: { happened: 'That were too many requests in a short time.', advice: 'Wait a moment and try again.' },
  billing_required: {
    happened: 'A paid key needs your billing in good standing.',
    advice: 'Set billing up on its page, or choose the tier free.',
  },
  key_exists: {
    happened: 'Another key of the container has this name.',
    advice: 'Choose another name. A key that is pending deletion keeps its name, too.',
  },
  free_key_exists: {
    happened: 'There is a free key already, and a tenant has one at most.',
    advice: 'Choose another tier, or destroy the other one first.',
  },
  container_exists: { happened: 'Another container has this name.', advice: 'Choose another name.' },
  firewall_exists: { happened: 'Another firewall of the container has this name.', advice: 'Choose another name.' },
  container_not_empty: {
    happened: 'The container still holds keys, API keys or firewalls.',
    advice: 'Remove them first; a key pending deletion counts until it is destroyed.',
  },
  container_is_default: { happened: 'The default container cannot be deleted.', advice: 'It can be renamed.' },
  firewall_in_use: { happened: 'API keys are held to this firewall.', advice: 'Give them another one first, or none.' },
  key_pending_deletion: { happened: 'The key is pending deletion.', advice: 'Restore it first.' },
  restore_window_closed: { happened: 'The time to restore this key is over.', advice: 'It is being destroyed.' },
  not_pending_deletion: { happened: 'The key is not pending deletion any more.', advice: 'Look at its page again.' },
  not_found: { happened: 'It is not there any more.', advice: 'Somebody else may have removed it.' },
  limit_reached: { happened: 'There is no room for another one.', advice: 'Remove what is no longer needed first.' },
  invalid_name: {
    happened: 'This name cannot be used.',
    advice: 'A name has 1 to 128 characters, not only spaces, and no control characters.',
  },
  invalid_allowed_ips: {
    happened: 'A network cannot be read.',
    advice: 'Give 1 to 64 addresses or networks, one a line.',
  },
  invalid_query: { happened: 'A filter cannot be read.', advice: 'Change it, or clear the filters.' },
  billing_active: { happened: 'There is a subscription already.', advice: 'Manage it instead.' },
  billing_not_set_up: { happened: 'There is no subscription to manage yet.', advice: 'Subscribe first.' },
};

const UNREACHED: Explanation = {
  happened: 'We could not reach the service.',
  advice: 'We try again by ourselves; you can, too.',
};

/** Of what only reads, where other words are right than for a change. */
export const READING_FAILURES: Partial<Record<ErrorCode, Explanation>> = {
  unreachable: UNREACHED,
  answer_lost: UNREACHED,
  deadline_exceeded: {
    happened: 'The service took too long to answer.',
    advice: 'We try again by ourselves; you can, too.',
  },
};

export const UNKNOWN_FAILURE: Explanation = { happened: 'This could not be done.', advice: 'Try again.' };
export const NO_PROVIDER: Explanation = {
  happened: 'Signing in did not work.',
  advice: 'Try again. If it stays so, the identity provider or its settings need the operator.',
};
export const NO_CONFIG: Explanation = {
  happened: 'The console does not know its service.',
  advice: 'config.json beside it must name the address of the service.',
};
