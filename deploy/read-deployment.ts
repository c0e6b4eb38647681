import { existsSync, readFileSync } from 'node:fs';
import { readConfig } from '../shared/config.ts';
import { consistent, type Deployment } from './deployment.ts';
import { environmentOf } from './environment.ts';

/** The setting that each variable comes from, for the variables whose rules the schema does not have. */
const SETTINGS: Readonly<Record<string, string>> = {
  AUDIT_ORIGIN: 'auditOrigin',
  IDENTITY_ISSUER: 'identity.issuer',
  IDENTITY_AUDIENCE: 'identity.audience',
  IDENTITY_JWKS_URL: 'identity.jwksUrl',
  IDENTITY_SCOPE: 'identity.scope',
  WORKLOAD_ISSUERS: 'workloadIssuers',
  CONSOLE_ORIGIN: 'consoleOrigin',
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'metricsEndpoint',
};

/** Reads the settings from a file. Throws an `Error` that names every setting that is missing, unknown or malformed. */
export function readDeployment(file: string): Deployment {
  if (!existsSync(file)) throw new Error(`${file} not found. Copy deploy/deployment.example.json and edit it.`);
  const parsed = consistent.safeParse(parseFile(file));
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`);
    throw new Error(`${file}: ${issues.join('; ')}`);
  }
  refuseUnreadable(file, parsed.data);
  return parsed.data;
}

/** Throws an `Error` if functions would refuse their variables, before the deployment creates what cannot be deleted. */
function refuseUnreadable(file: string, deployment: Deployment): void {
  try {
    readConfig(environmentOf(deployment, 'keys'));
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${file}: ${message.replaceAll(/[A-Z_]+/g, (name) => SETTINGS[name] ?? name)}`, { cause });
  }
}

function parseFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new Error(`${file}: not valid JSON: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}
