import { setQuery, useAddress } from '../address/address.ts';
import { Link } from '../address/link.tsx';
import { PATHS } from '../address/paths.ts';
import { ApiKeyPage } from '../pages/api-keys/api-key-page.tsx';
import { ApiKeysPage } from '../pages/api-keys/api-keys-page.tsx';
import { AuditPage } from '../pages/audit/audit-page.tsx';
import { BillingPage } from '../pages/billing/billing-page.tsx';
import { ContainerPage } from '../pages/containers/container-page.tsx';
import { ContainersPage } from '../pages/containers/containers-page.tsx';
import { FirewallPage } from '../pages/firewalls/firewall-page.tsx';
import { FirewallsPage } from '../pages/firewalls/firewalls-page.tsx';
import { KeyPage } from '../pages/keys/key-page.tsx';
import { KeysPage } from '../pages/keys/keys-page.tsx';
import { MembersPage } from '../pages/members/members-page.tsx';
import { OverviewPage } from '../pages/overview/overview-page.tsx';
import { ReferencePage } from '../pages/reference/reference-page.tsx';
import { StatusPage } from '../pages/status/status-page.tsx';
import { Page } from '../parts/page.tsx';
import { isReadableMonth } from '../service/month.ts';
import { MONTHS, NAV, SHELL } from '../words.ts';

export function CurrentPage({ path }: { readonly path: string }) {
  if (!isReadableMonth(useAddress().query)) return <UnreadableMonth />;
  const [, section = '', id, ...rest] = path.split('/');
  if (rest.length > 0) return <UnknownPage />;
  const list = `/${section}`;
  if (id !== undefined && id !== '') {
    switch (list) {
      case PATHS.keys:
        return <KeyPage id={id} />;
      case PATHS.apiKeys:
        return <ApiKeyPage id={id} />;
      case PATHS.containers:
        return <ContainerPage id={id} />;
      case PATHS.firewalls:
        return <FirewallPage id={id} />;
      default:
        return <UnknownPage />;
    }
  }
  switch (list) {
    case PATHS.overview:
      return <OverviewPage />;
    case PATHS.keys:
      return <KeysPage />;
    case PATHS.apiKeys:
      return <ApiKeysPage />;
    case PATHS.containers:
      return <ContainersPage />;
    case PATHS.firewalls:
      return <FirewallsPage />;
    case PATHS.members:
      return <MembersPage />;
    case PATHS.audit:
      return <AuditPage />;
    case PATHS.billing:
      return <BillingPage />;
    case PATHS.reference:
      return <ReferencePage />;
    case PATHS.status:
      return <StatusPage />;
    default:
      return <UnknownPage />;
  }
}

function UnreadableMonth() {
  return (
    <Page title={SHELL.unknownPage}>
      <p role="alert" class="problem">
        {MONTHS.unreadable}
      </p>
      <p class="row">
        <button type="button" onClick={() => setQuery({ period: undefined })}>
          {MONTHS.current}
        </button>
      </p>
    </Page>
  );
}

function UnknownPage() {
  return (
    <Page title={SHELL.unknownPage}>
      <p>
        {SHELL.unknownPageText} <Link to={PATHS.overview}>{NAV.overview}</Link>
      </p>
    </Page>
  );
}
