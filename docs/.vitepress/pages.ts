/** The pages of the site, by reader. A page that is missing here is not on the site, and fails a test. */
export const SIDEBAR: Readonly<Record<string, readonly string[]>> = {
  'Start here': [
    'README.md',
    'docs/tour.md',
    'docs/concepts.md',
    'docs/tiers.md',
    'docs/limits.md',
    'docs/protects.md',
    'docs/maturity.md',
  ],
  'Developer: guides': [
    'docs/columns.md',
    'docs/files.md',
    'docs/clients.md',
    'docs/rotate.md',
    'docs/least-privilege.md',
    'docs/workload-identity.md',
    'docs/leak.md',
    'docs/integrations.md',
    'docs/migrate.md',
    'docs/troubleshooting.md',
  ],
  'Developer: reference': [
    'docs/api.md',
    'client/README.md',
    'docs/columns-databases.md',
    'docs/transit.md',
    'docs/console.md',
    'CHANGELOG.md',
  ],
  'Developer: routes': [
    'docs/api/keys.md',
    'docs/api/cryptography.md',
    'docs/api/audit-and-usage.md',
    'docs/api/api-keys.md',
    'docs/api/containers.md',
    'docs/api/firewalls.md',
    'docs/api/members.md',
    'docs/api/account.md',
    'docs/api/billing.md',
    'docs/api/transit.md',
    'docs/api/health.md',
    'docs/api/objects.md',
  ],
  Operator: [
    'docs/deploy.md',
    'docs/settings.md',
    'docs/upkeep.md',
    'docs/operate.md',
    'docs/runbook.md',
    'docs/restore.md',
    'docs/reliability.md',
    'docs/lost-parts.md',
    'docs/billing.md',
    'docs/performance.md',
    'docs/cost.md',
    'docs/scale.md',
  ],
  Auditor: [
    'docs/audit.md',
    'docs/siem.md',
    'docs/audit-format.md',
    'docs/security.md',
    'docs/cryptography.md',
    'SECURITY.md',
  ],
  Contributor: [
    'CONTRIBUTING.md',
    'docs/folders.md',
    'docs/request.md',
    'docs/data-model.md',
    'docs/supply-chain.md',
    'docs/site.md',
    'bench/README.md',
    'bench/RESULTS.md',
    'test/reliability/README.md',
    'emulators/README.md',
    'emulators/kms/README.md',
    'emulators/stripe/README.md',
    'emulators/gateway/README.md',
  ],
};

/** Every page of the site, in the order of the sidebar. */
export const PAGES: readonly string[] = Object.values(SIDEBAR).flat();

/** Pages whose name on the site differs. Two names must not differ only in case. */
const RENAMED: Readonly<Record<string, string>> = { 'README.md': 'index.md', 'SECURITY.md': 'vulnerabilities.md' };

/** Returns the path of a page on the site: `docs/tour.md` is `tour.md`, `client/README.md` is `client.md`. */
export function placeOf(page: string): string {
  return (
    RENAMED[page] ??
    page
      .replace(/^docs\//, '')
      .replace(/\/README\.md$/, '.md')
      .toLowerCase()
  );
}
