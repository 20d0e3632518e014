import { useEffect, useState } from 'preact/hooks';
import { LocationProvider } from 'preact-iso';
import { ExtensionsProvider } from './api/extensions.js';
import { LiveProvider } from './api/live.js';
import { UI_PATH } from './routes.js';
import { SessionProvider, useSignIn } from './api/session.js';
import { Loading } from './components/page.js';
import { ProblemNote } from './components/problem-note.js';
import { ToastProvider } from './components/toasts.js';
import { readInvitation, readSignInProblem } from './screens/sign-in/sign-in-problem.js';
import { SignInScreen } from './screens/sign-in/sign-in-screen.js';
import { ChecksProvider } from './screens/check/checks.js';
import { RemovalProvider } from './screens/watchlist/removals.js';
import { Shell } from './shell/shell.js';

/** Shows the sign-in first, and then the shell with the current screen. */
export function App() {
  const { state, signIn, retry, signOut } = useSignIn();
  const [isInvited, setInvited] = useState(() => isAboutInvitation(location.hash));
  useEffect(() => {
    const look = () => isAboutInvitation(location.hash) && setInvited(true); // the link was pasted into this tab
    addEventListener('hashchange', look);
    return () => removeEventListener('hashchange', look);
  }, []);
  if (isInvited) return <SignInScreen key="invited" failure={null} onKey={signIn} isInvited />;
  switch (state.kind) {
    case 'signed-out':
      return <SignInScreen failure={state.failure} onKey={signIn} />;
    case 'signing-in':
      return (
        <main class="sign-in">
          <Loading label="Signing in" />
        </main>
      );
    case 'unreachable':
      return (
        <main class="sign-in">
          <div class="sign-in-card card">
            <ProblemNote failure={state.failure} onRetry={retry} />
            <button type="button" class="button" onClick={signOut}>
              Sign in with another key
            </button>
          </div>
        </main>
      );
    case 'signed-in':
      return (
        <SessionProvider session={state.session}>
          <LiveProvider>
            <ToastProvider>
              <RemovalProvider>
                <ChecksProvider>
                  <ExtensionsProvider>
                    <LocationProvider scope={UI_PATH}>
                      <Shell />
                    </LocationProvider>
                  </ExtensionsProvider>
                </ChecksProvider>
              </RemovalProvider>
            </ToastProvider>
          </LiveProvider>
        </SessionProvider>
      );
  }
}

/** Whether the address is about an invitation. Even a signed-in person accepts it at the provider. */
function isAboutInvitation(fragment: string): boolean {
  return readInvitation(fragment) !== null || readSignInProblem(fragment)?.code === 'sign_in_invitation';
}
