import { useState } from 'preact/hooks';
import type { Me } from '../../../client/src/index.ts';
import { useAddress } from '../address/address.ts';
import { Link } from '../address/link.tsx';
import { PATHS } from '../address/paths.ts';
import { Mark } from '../parts/drawings.tsx';
import { Name } from '../parts/name.tsx';
import { useAnswer } from '../service/answer.ts';
import { billing } from '../service/answers.ts';
import { chosenTheme, showTheme } from '../session/kept.ts';
import { may } from '../session/role.ts';
import { signOut } from '../session/session.ts';
import { NAV, SHELL } from '../words.ts';

const PAGES = [
  { to: PATHS.overview, name: NAV.overview },
  { to: PATHS.keys, name: NAV.keys },
  { to: PATHS.apiKeys, name: NAV.apiKeys },
  { to: PATHS.containers, name: NAV.containers },
  { to: PATHS.firewalls, name: NAV.firewalls },
  { to: PATHS.members, name: NAV.members },
  { to: PATHS.audit, name: NAV.audit },
  { to: PATHS.billing, name: NAV.billing },
] as const;

interface NavigationProps {
  readonly me: Me;
  readonly onSearch: () => void;
}

/** The navigation. It is a column on a wide screen, and a bar with a menu on a narrow screen. */
export function Navigation({ me, onSearch }: NavigationProps) {
  const { path } = useAddress();
  const [open, setOpen] = useState(false);
  const { value: standing } = useAnswer(billing.of());
  const shown = PAGES.filter(({ to }) => to !== PATHS.billing || (standing !== undefined && standing !== null));
  const isCurrent = (to: string): boolean => (to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`));
  return (
    <header class={open ? 'nav open' : 'nav'}>
      <div class="brand">
        <Mark />
        <div>
          <span>{SHELL.product}</span>
          <TenantLink of={me.tenant} />
        </div>
        <button type="button" class="menu" aria-expanded={open} aria-controls="nav" onClick={() => setOpen(!open)}>
          {NAV.menu}
        </button>
      </div>
      <div class="nav-body" id="nav">
        <nav aria-label={NAV.label}>
          <ul>
            {shown.map(({ to, name }) => (
              <li key={to}>
                <Link to={to} current={isCurrent(to)} onFollow={() => setOpen(false)}>
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <button type="button" class="search-button" onClick={onSearch}>
          {SHELL.search} <kbd>{/Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K'}</kbd>
        </button>
        <div class="person">
          <p class="small" title={me.user.id}>
            {me.user.name ?? me.user.email ?? SHELL.unnamedPerson}
          </p>
          <p class="small muted">{me.role}</p>
          <p class="row small">
            <Link to={PATHS.reference} current={isCurrent(PATHS.reference)} onFollow={() => setOpen(false)}>
              {NAV.reference}
            </Link>
            <Link to={PATHS.status} current={isCurrent(PATHS.status)} onFollow={() => setOpen(false)}>
              {NAV.status}
            </Link>
          </p>
          <ThemeSwitch />
          <button type="button" onClick={signOut}>
            {SHELL.signOut}
          </button>
        </div>
      </div>
    </header>
  );
}

/** A link to the tenant's members. If the tenant has no name, the link opens the dialog in which one can name it. */
function TenantLink({ of: { name } }: { readonly of: Me['tenant'] }) {
  if (name !== null)
    return (
      <Link to={PATHS.members}>
        <Name text={name} />
      </Link>
    );
  return <Link to={may('rename') ? `${PATHS.members}?do=rename` : PATHS.members}>{SHELL.unnamedTenant}</Link>;
}

function ThemeSwitch() {
  const [theme, setTheme] = useState(chosenTheme);
  const choose = (value: string): void => {
    const chosen = value === 'light' || value === 'dark' ? value : undefined;
    showTheme(chosen);
    setTheme(chosen);
  };
  return (
    <label class="theme small">
      {SHELL.theme}{' '}
      <select value={theme ?? 'system'} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        <option value="system">{SHELL.themes.system}</option>
        <option value="light">{SHELL.themes.light}</option>
        <option value="dark">{SHELL.themes.dark}</option>
      </select>
    </label>
  );
}
