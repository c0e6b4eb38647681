const KEY_ID = '0f8c9a52-5a0e-4a51-9d5e-0c1f6f2f7a10';
const CONTAINER_ID = '3b1f7c1e-2d64-4f0b-8a37-5d0e9b7c4a21';
const API_KEY_ID = '7d2e4b60-91c3-4e8f-b1a6-2f3c8d9e0b32';
const USER_ID = 'a94d0e73-6c25-4b7a-8f19-7e1b2c3d4f43';
const TENANT_ID = 'c6b35f28-0d9a-4c61-9e42-1a8f7b6c5d54';
const FIREWALL_ID = 'e1a7d4c9-8b32-4f56-a07d-9c4e3b2a1f65';
const INVITATION_ID = 'f52c8e07-4a1b-4d93-b68e-3d7f0a9c2e76';
const REQUEST_ID = '1c9e6f3a-7b50-4d28-8c14-6e2a9f0b3d87';
const CREATED = '2026-10-01T08:15:30.123456Z';
const LATER = '2026-11-24T09:30:00.000000Z';
const CIPHERTEXT = 'AQAAAAHq3m0v9pZbKk1sXo2rT7uVw8yzA4cD5eF6gH7iJ8kL9mN0';
const DATA_KEY = 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=';

const TOKEN = 'esk_puxewyerynhi7mngf46i3hqlgi_…';
const [, prefix] = TOKEN.split('_');

const tenant = { id: TENANT_ID, name: 'Acme', created_at: CREATED };
const invitation = {
  id: INVITATION_ID,
  role: 'auditor',
  note: 'for Bob',
  created_by: USER_ID,
  created_at: LATER,
  expires_at: '2026-12-01T09:30:00.000000Z',
};
const federation = {
  issuer: 'https://token.actions.githubusercontent.com',
  claims: { ref: 'refs/heads/main', repository_id: '123456789' },
};
const apiKey = {
  id: API_KEY_ID,
  name: 'shop',
  prefix,
  container_id: CONTAINER_ID,
  allowed_actions: ['encrypt', 'decrypt'],
  key_ids: [KEY_ID],
  firewall_id: null,
  created_at: CREATED,
  last_used_at: LATER,
  expires_at: '2027-06-30T00:00:00.000000Z',
  federations: [federation],
  has_token: true,
};

export const ANSWER_EXAMPLES: Readonly<Record<string, unknown>> = {
  Key: {
    id: KEY_ID,
    name: 'orders',
    tier: 'software',
    container_id: CONTAINER_ID,
    state: 'active',
    created_at: CREATED,
    delete_requested_at: null,
    destroy_after: null,
    frozen_at: null,
    primary_version: 2,
    versions: [
      { version: 1, state: 'enabled', created_at: CREATED },
      { version: 2, state: 'enabled', created_at: LATER },
    ],
  },
  RotationPreview: {
    next_version: 4,
    keeps: [2, 3],
    retires: [1],
    recent: { since: '2026-10-26', ops: 120, older_version_ops: 12, last_older_use: '2026-11-20' },
  },
  Ciphertext: { ciphertext: CIPHERTEXT },
  Plaintext: { plaintext: 'SGVsbG8sIHdvcmxk' },
  Wrapped: { wrapped: CIPHERTEXT, dek: DATA_KEY },
  Dek: { dek: DATA_KEY },
  AuditEvent: {
    id: '2d0f7a4b-8c61-4e39-9d25-7f3b0a1c4e98',
    ts: LATER,
    operation: 'encrypt',
    result: 'error',
    error_code: 'ops_cap_reached',
    request_id: REQUEST_ID,
    key_id: KEY_ID,
    api_key_id: API_KEY_ID,
    user_id: null,
    target_id: null,
    workload: null,
    changes: null,
  },
  UsageLine: {
    key_id: KEY_ID,
    container_id: CONTAINER_ID,
    ops: 112_345,
    overage_ops: 12_345,
    cap: 100_000,
    allowance: 100_000,
  },
  DailyUsageLine: { day: '2026-11-24', key_id: KEY_ID, container_id: CONTAINER_ID, ops: 415 },
  Seal: {
    index: 0,
    from: CREATED,
    until: LATER,
    first_entry: 0,
    entries: 3,
    size: 3,
    root: 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=',
    checkpoint: `encryption-service.local/${TENANT_ID}\n3\n…\n\n— encryption-service.local/${TENANT_ID} …\n`,
  },
  Caller: {
    kind: 'api_key',
    id: API_KEY_ID,
    name: 'shop',
    role: null,
    container_id: CONTAINER_ID,
    allowed_actions: ['encrypt', 'decrypt'],
    key_ids: [KEY_ID],
    firewall_id: null,
    address: '203.0.113.7',
    workload: null,
  },
  SignIn: {
    issuer: 'https://login.example.com',
    client_id: 'encryption-console',
    scope: 'openid email profile',
    audience: 'https://api.example.com',
    workload_issuers: [
      { issuer: 'https://token.actions.githubusercontent.com', claims: ['repository_id', 'repository_owner_id'] },
    ],
  },
  Me: { user: { id: USER_ID, email: 'ada@example.com', name: 'Ada' }, tenant, role: 'owner' },
  Tenant: tenant,
  Member: { user_id: USER_ID, email: 'ada@example.com', name: 'Ada', role: 'owner', joined_at: CREATED },
  NewInvitation: { ...invitation, token: '…' },
  Invitation: invitation,
  InvitationPreview: {
    tenant_name: 'Acme',
    role: 'auditor',
    note: 'for Bob',
    invited_by: { email: 'ada@example.com', name: 'Ada' },
    expires_at: invitation.expires_at,
  },
  NewApiKey: { ...apiKey, last_used_at: null, token: TOKEN },
  ApiKey: apiKey,
  Federation: federation,
  Container: { id: CONTAINER_ID, name: 'staging', is_default: false, created_at: CREATED },
  Firewall: {
    id: FIREWALL_ID,
    name: 'office',
    container_id: CONTAINER_ID,
    allowed_ips: ['203.0.113.0/24'],
    created_at: CREATED,
    updated_at: LATER,
  },
  Billing: { standing: 'good', subscription: { status: 'active' } },
  Redirect: { url: 'https://billing.example.com/session/1' },
  Statement: {
    period: '2026-10',
    currency: 'usd',
    lines: [
      {
        key_id: KEY_ID,
        key_name: 'orders',
        tier: 'software',
        days: 31,
        days_in_month: 31,
        fee_cents: '1000',
        ops: 112_345,
        allowance: 100_000,
        overage_ops: 12_345,
        overage_cents: '24.69',
      },
    ],
    total_cents: '1025',
  },
  Live: { status: 'ok' },
  Ready: { status: 'ok', checks: { firestore: 'ok', kms: 'ok', policy: 'ok' } },
};
