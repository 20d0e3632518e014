import { Route, Router, useLocation } from 'preact-iso';
import { useEffect, useErrorBoundary, useState } from 'preact/hooks';
import { toFailure } from '../api/call.js';
import { useSession } from '../api/session.js';
import { Page } from '../components/page.js';
import { ProblemNote } from '../components/problem-note.js';
import { ROUTES } from '../routes.js';
import { BrowserNotifier } from '../screens/notifications/browser-notifier.js';
import { type Screen, SCREENS } from '../screens.js';
import { ConnectionBanner } from './connection.js';
import { Navigation } from './navigation.js';
import { useKeptFocus } from './kept-focus.js';
import { KeyboardHelp } from './keyboard-help.js';
import { Palette } from './palette.js';
import { useShortcuts } from './shortcuts.js';

export function Shell() {
  const { path } = useLocation();
  const [error, reset] = useErrorBoundary() as [unknown, () => void];
  useEffect(() => reset(), [path]);
  const [open, setOpen] = useState<'palette' | 'help' | null>(null);
  useShortcuts({ openPalette: () => setOpen('palette'), openHelp: () => setOpen('help') });
  useKeptFocus();
  return (
    <div class="shell">
      <a class="skip-link" href="#main" onClick={skipToMain}>
        Skip to content
      </a>
      <BrowserNotifier />
      <Navigation onPalette={() => setOpen('palette')} />
      <main id="main" tabIndex={-1}>
        <ConnectionBanner />
        {error === undefined ? <Screens /> : <BrokenScreen error={error} />}
      </main>
      {open === 'palette' && <Palette onClose={() => setOpen(null)} />}
      {open === 'help' && <KeyboardHelp onClose={() => setOpen(null)} />}
    </div>
  );
}

function Screens() {
  return (
    <Router>
      {SCREENS.map((screen) => (
        <Route key={screen.path} path={screen.path} component={guarded(screen)} />
      ))}
      <Route default component={NotFoundScreen} />
    </Router>
  );
}

const guards = new Map<Screen, () => preact.VNode>();

/** Returns the same component each time. With a new component, the router would mount the screen again. */
function guarded(screen: Screen): () => preact.VNode {
  const known = guards.get(screen);
  if (known) return known;
  const Guarded = () => {
    const { can } = useSession();
    const { component: Component, scope, navigation } = screen;
    if (scope !== null && !can(scope)) return <MissingScope title={navigation?.label ?? 'Name'} scope={scope} />;
    return <Component />;
  };
  guards.set(screen, Guarded);
  return Guarded;
}

function BrokenScreen({ error }: { error: unknown }) {
  return (
    <Page title="This page cannot be shown">
      <ProblemNote failure={toFailure(error)} />
    </Page>
  );
}

/** Moves only the focus, since following the link would change the address. */
function skipToMain(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

/** Replaces a screen that needs a missing scope. */
function MissingScope({ title, scope }: { title: string; scope: string }) {
  const { me } = useSession();
  const holder = me.person ? 'role' : 'key';
  return (
    <Page title={title}>
      <section class="card empty-state">
        <h2>Your {holder} cannot see this</h2>
        <p>
          It lacks the scope <code>{scope}</code>.{' '}
          {me.person ? (
            'An admin of this account can give you another role.'
          ) : (
            <>
              A key with <code>admin</code> can issue one that has it.
            </>
          )}
        </p>
      </section>
    </Page>
  );
}

function NotFoundScreen() {
  return (
    <Page title="There is nothing at this address">
      <p>
        <a href={ROUTES.watchlist}>Go to the watchlist</a>
      </p>
    </Page>
  );
}
