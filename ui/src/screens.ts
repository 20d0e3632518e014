import type { AnyComponent } from 'preact';
import type { IconName } from './components/icon.js';
import { ROUTES } from './routes.js';
import { AccountScreen } from './screens/account/account-screen.js';
import { AgendaScreen } from './screens/agenda/agenda-screen.js';
import { AuditScreen } from './screens/audit/audit-screen.js';
import { ExtensionsScreen } from './screens/extensions/extensions-screen.js';
import { LinkScreen } from './screens/extensions/link-screen.js';
import { CheckScreen } from './screens/check/check-screen.js';
import { NameScreen } from './screens/name/name-screen.js';
import { ClientPagesScreen } from './screens/client-pages/client-pages-screen.js';
import { MembersScreen } from './screens/members/members-screen.js';
import { ChannelScreen } from './screens/notifications/channel-screen.js';
import { NotificationsScreen } from './screens/notifications/notifications-screen.js';
import { RegistriesScreen } from './screens/registries/registries-screen.js';
import { WatchlistScreen } from './screens/watchlist/watchlist-screen.js';

/** The letter that opens a screen together with Alt. */
type Shortcut = 'C';

export interface Screen {
  readonly path: string;
  readonly component: AnyComponent;
  /** The entry in the navigation. null for pages that other pages link to. */
  readonly navigation: {
    readonly label: string;
    readonly icon: IconName;
    readonly shortcut?: Shortcut;
    readonly isOnBar?: true;
  } | null;
  /** The scope that the screen needs; null if any key may see it. */
  readonly scope: string | null;
  /** Shown in the navigation only if the service has extensions. */
  readonly isAboutExtensions?: true;
}

export const SCREENS: readonly Screen[] = [
  {
    path: ROUTES.watchlist,
    component: WatchlistScreen,
    navigation: { label: 'Watchlist', icon: 'list', isOnBar: true },
    scope: 'watchlist:read',
  },
  {
    path: ROUTES.check,
    component: CheckScreen,
    navigation: { label: 'Is it free?', icon: 'search', shortcut: 'C', isOnBar: true },
    scope: 'domains:read',
  },
  { path: ROUTES.name, component: NameScreen, navigation: null, scope: 'watchlist:read' },
  {
    path: ROUTES.agenda,
    component: AgendaScreen,
    navigation: { label: 'Agenda', icon: 'calendar', isOnBar: true },
    scope: 'watchlist:read',
  },
  {
    path: ROUTES.clientPages,
    component: ClientPagesScreen,
    navigation: { label: 'Client pages', icon: 'send' },
    scope: 'watchlist:read',
  },
  {
    path: ROUTES.notifications,
    component: NotificationsScreen,
    navigation: { label: 'Notifications', icon: 'bell', isOnBar: true },
    scope: 'notifications:read',
  },
  { path: ROUTES.channel, component: ChannelScreen, navigation: null, scope: 'notifications:read' },
  {
    path: ROUTES.registries,
    component: RegistriesScreen,
    navigation: { label: 'Registries', icon: 'globe' },
    scope: 'domains:read',
  },
  {
    path: ROUTES.extensions,
    component: ExtensionsScreen,
    navigation: { label: 'Extensions', icon: 'plug' },
    scope: null,
    isAboutExtensions: true,
  },
  { path: ROUTES.extensionLink, component: LinkScreen, navigation: null, scope: null },
  {
    path: ROUTES.audit,
    component: AuditScreen,
    navigation: { label: 'Audit trail', icon: 'file' },
    scope: 'audit:read',
  },
  {
    path: ROUTES.members,
    component: MembersScreen,
    navigation: { label: 'Members', icon: 'people' },
    scope: 'admin',
  },
  {
    path: ROUTES.account,
    component: AccountScreen,
    navigation: { label: 'Keys and account', icon: 'key' },
    scope: null,
  },
];
