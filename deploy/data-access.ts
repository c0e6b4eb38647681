import { z } from 'zod';

/** The services whose Data Access logs are on, by their names in audit logs. Firestore's name is Datastore's. */
export const LOGGED_SERVICES = ['cloudkms.googleapis.com', 'datastore.googleapis.com'] as const;

/**
 * The kinds of access that are logged. `DATA_READ` of the KMS has each use of a key. Reads of documents are not logged:
 * there are several for each request, and the service's own audit log has the requests.
 */
export const LOGGED: Readonly<Record<(typeof LOGGED_SERVICES)[number], readonly string[]>> = {
  'cloudkms.googleapis.com': ['ADMIN_READ', 'DATA_READ', 'DATA_WRITE'],
  'datastore.googleapis.com': ['ADMIN_READ', 'DATA_WRITE'],
};

const auditConfig = z.looseObject({
  service: z.string(),
  auditLogConfigs: z
    .array(z.looseObject({ logType: z.string(), exemptedMembers: z.array(z.string()).optional() }))
    .default([]),
});
export const projectPolicy = z.looseObject({ auditConfigs: z.array(auditConfig).default([]) });
type ProjectPolicy = z.output<typeof projectPolicy>;

/** Returns which of the wanted logs a policy turns on, such as `cloudkms.googleapis.com DATA_READ`. */
export function loggedIn({ auditConfigs }: ProjectPolicy): string[] {
  return LOGGED_SERVICES.flatMap((service) => {
    const types = auditConfigs
      .filter((one) => one.service === service || one.service === 'allServices')
      .flatMap(({ auditLogConfigs }) => auditLogConfigs.map(({ logType }) => logType));
    return LOGGED[service].filter((type) => types.includes(type)).map((type) => `${service} ${type}`);
  });
}

/** Returns the members whose access is not in a log, such as that of `cloudkms.googleapis.com DATA_READ`. */
export function exemptedFrom({ auditConfigs }: ProjectPolicy, log: string): string {
  return auditConfigs
    .flatMap(({ service, auditLogConfigs }) => auditLogConfigs.map((one) => ({ ...one, service })))
    .filter(
      ({ service, logType }) =>
        log === `${service} ${logType}` || (service === 'allServices' && log.endsWith(` ${logType}`)),
    )
    .flatMap(({ exemptedMembers = [] }) => exemptedMembers)
    .join(' ');
}

/** Returns the policy with the missing Data Access logs, or `undefined` if none is missing. Changes nothing else. */
export function withDataAccessLogs(policy: ProjectPolicy): ProjectPolicy | undefined {
  const on = new Set(loggedIn(policy));
  const missing = LOGGED_SERVICES.map((service) => ({
    service,
    types: LOGGED[service].filter((type) => !on.has(`${service} ${type}`)),
  })).filter(({ types }) => types.length > 0);
  if (missing.length === 0) return undefined;
  const additions = missing.map(({ service, types }) => ({
    service,
    auditLogConfigs: types.map((logType) => ({ logType })),
  }));
  const own = (service: string) => additions.find((one) => one.service === service)?.auditLogConfigs ?? [];
  const there = new Set(policy.auditConfigs.map(({ service }) => service));
  const extended = policy.auditConfigs.map((one) => ({
    ...one,
    auditLogConfigs: [...one.auditLogConfigs, ...own(one.service)],
  }));
  return { ...policy, auditConfigs: [...extended, ...additions.filter(({ service }) => !there.has(service))] };
}
