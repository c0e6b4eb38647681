export const PATHS = {
  overview: '/',
  keys: '/keys',
  apiKeys: '/api-keys',
  containers: '/containers',
  firewalls: '/firewalls',
  members: '/members',
  audit: '/audit',
  billing: '/billing',
  reference: '/reference',
  status: '/status',
  join: '/join',
  callback: '/callback',
} as const;

export const pathOfKey = (id: string): string => `${PATHS.keys}/${id}`;
export const pathOfApiKey = (id: string): string => `${PATHS.apiKeys}/${id}`;
export const pathOfContainer = (id: string): string => `${PATHS.containers}/${id}`;
export const pathOfFirewall = (id: string): string => `${PATHS.firewalls}/${id}`;
