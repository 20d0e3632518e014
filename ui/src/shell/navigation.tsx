import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { accountPath, ROUTES, SERVICE_URL } from '../routes.js';
import { useExtensions } from '../api/extensions.js';
import { useSession } from '../api/session.js';
import { Icon } from '../components/icon.js';
import { ShortText, Text } from '../components/text.js';
import { shortcutText } from './shortcuts.js';
import mark from '../assets/mark.svg';
import { SCREENS } from '../screens.js';
import { ConnectionStatus } from './connection.js';

/** Stands on the left, or at the top in narrow windows. On a phone it is a bar of five at the bottom. */
export function Navigation({ onPalette }: { onPalette: () => void }) {
  const { me, signOut } = useSession();
  const { extensions } = useExtensions();
  const { path: current } = useLocation();
  const [isAll, setAll] = useState(false);
  useEffect(() => setAll(false), [current]);
  const screens = SCREENS.filter(({ isAboutExtensions = false }) => !isAboutExtensions || extensions.length > 0);
  return (
    <header class="sidebar">
      <a class="brand" href={ROUTES.watchlist}>
        <img src={mark} alt="" width="28" height="28" /> Namewatch
      </a>
      <AccountSwitcher />
      <nav aria-label="Main">
        <ul class="nav-list" data-all={isAll}>
          {screens.map(({ path, navigation }) => navigation && <NavLink key={path} path={path} {...navigation} />)}
          <li class="nav-more">
            <button type="button" class="nav-link" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
              <Icon name="plus" /> {isAll ? 'Less' : 'More'}
            </button>
          </li>
        </ul>
      </nav>
      <div class="sidebar-foot">
        <ConnectionStatus />
        <p class="sidebar-account">
          <span class="muted">Account</span> <Text value={me.account.name} max={40} />
        </p>
        <p class="sidebar-links">
          <button type="button" class="link-button" aria-keyshortcuts="Control+K Meta+K" onClick={onPalette}>
            Find…
          </button>
          <a href={`${SERVICE_URL}/docs`} target="_blank" rel="noreferrer">
            API docs
          </a>
          <button type="button" class="link-button" onClick={signOut}>
            Sign out
          </button>
        </p>
      </div>
    </header>
  );
}

/** Shows links instead of a select box, so that another account can open in its own tab. */
function AccountSwitcher() {
  const { me } = useSession();
  const others = (me.accounts ?? []).filter(({ id }) => id !== me.account.id);
  if (others.length === 0) return null;
  return (
    <details class="account-switcher">
      <summary>
        <span class="visually-hidden">Account </span>
        <ShortText value={me.account.name} max={28} />
      </summary>
      <ul class="plain-list">
        {others.map(({ id, name, role }) => (
          <li key={id}>
            <a href={`${accountPath(id)}/`}>
              <ShortText value={name} max={28} />
            </a>{' '}
            <span class="muted">{role}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

interface NavLinkProps {
  readonly path: string;
  readonly label: string;
  readonly icon: Parameters<typeof Icon>[0]['name'];
  readonly shortcut?: string;
  readonly isOnBar?: true;
}

function NavLink({ path, label, icon, shortcut, isOnBar = undefined }: NavLinkProps) {
  const { path: current } = useLocation();
  const isCurrent = current === path.replace(/\/$/, '');
  const link = useRef<HTMLAnchorElement>(null);
  // In a narrow window the navigation scrolls sideways, so this scrolls to the current link.
  useEffect(() => {
    if (isCurrent) link.current?.scrollIntoView({ inline: 'center', block: 'nearest' });
  }, [isCurrent]);
  return (
    <li class={isOnBar ? undefined : 'nav-off-bar'}>
      <a
        ref={link}
        class="nav-link"
        href={path}
        aria-current={isCurrent ? 'page' : undefined}
        aria-keyshortcuts={shortcut && `Alt+${shortcut}`}
      >
        <Icon name={icon} /> {label}
        {shortcut !== undefined && (
          <kbd class="shortcut" aria-hidden="true">
            {shortcutText(shortcut)}
          </kbd>
        )}
      </a>
    </li>
  );
}
