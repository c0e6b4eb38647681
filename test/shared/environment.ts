/** The smallest environment that the service starts with. */
export const MINIMAL = {
  GOOGLE_CLOUD_PROJECT: 'demo-project',
  KMS_KEY_RING: 'projects/demo-project/locations/global/keyRings/keys',
  POLICY_DECISION_URL: 'http://127.0.0.1:3592',
} as const;

export const IDENTITY = {
  IDENTITY_ISSUER: 'https://login.example.com',
  IDENTITY_AUDIENCE: 'https://api.example.com',
  IDENTITY_JWKS_URL: 'https://login.example.com/jwks',
} as const;

export const BILLING = {
  STRIPE_SECRET_KEY: 'secret-key-of-stripe',
  STRIPE_WEBHOOK_SECRET: 'secret-of-the-webhook',
  STRIPE_PRICE_ID: 'price_1',
} as const;

export const INVOKER = {
  INVOKER_SERVICE_ACCOUNT: 'gateway@demo-project.iam.gserviceaccount.com',
  INVOKER_AUDIENCE: 'https://router-1.region.run.app',
  CREDENTIAL_HEADER: 'x-forwarded-authorization',
} as const;
