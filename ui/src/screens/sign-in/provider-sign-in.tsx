import { useEffect, useMemo } from 'preact/hooks';
import { getSignIn, namewatch } from '../../../../clients/typescript/src/index.js';
import { useRequest } from '../../api/use-request.js';
import { ProblemNote } from '../../components/problem-note.js';
import { Text } from '../../components/text.js';
import { SERVICE_URL } from '../../routes.js';
import { readInvitation, readSignInProblem } from './sign-in-problem.js';

/** Links to the sign-in at the provider, if there is one. Explains why a former sign-in failed. */
export function ProviderSignIn({ isInvited }: { isInvited: boolean }) {
  const client = useMemo(() => namewatch({ url: SERVICE_URL, key: '' }), []);
  const { data, isLoading, reload } = useRequest((signal) => getSignIn({ client, signal }), []);
  const problem = useMemo(() => readSignInProblem(location.hash), []);
  const invitation = useMemo(() => readInvitation(location.hash), []);
  useEffect(() => {
    if (problem) history.replaceState(null, '', location.pathname + location.search);
  }, []);
  const provider = data?.provider ?? null;
  return (
    <>
      {problem && <ProblemNote failure={problem} />}
      {invitation !== null && (
        <p role="status">
          {data?.provider === null
            ? 'You are invited, but people cannot sign in here yet: tell who sent you the link.'
            : 'You are invited. Sign in with the address that the invitation was sent to.'}
        </p>
      )}
      {(problem?.code === 'sign_in_no_account' || problem?.code === 'sign_in_invitation') && provider?.sign_out_url && (
        <p>
          <a href={provider.sign_out_url}>Sign out there</a>, to come back as somebody else.
        </p>
      )}
      {provider?.available === true && (
        <>
          <a class="button primary" href={toSignIn(provider.sign_in_url, invitation)}>
            Sign in with <Text value={provider.name} />
          </a>
          {!isInvited && <p class="muted">Or with a key:</p>}
        </>
      )}
      {provider?.available === false && (
        <div class="stack" role="status">
          <p>
            <Text value={provider.name} /> does not answer.{' '}
            {isInvited ? 'The link works later, too.' : 'You can sign in with a key.'}
          </p>
          <button type="button" class="button small" disabled={isLoading} onClick={reload}>
            Try again
          </button>
        </div>
      )}
    </>
  );
}

/** Returns the link to the sign-in, which leads back to the current screen. */
function toSignIn(url: string, invitation: string | null): string {
  const { pathname } = new URL(SERVICE_URL);
  const screen = location.pathname.slice(pathname.replace(/\/$/, '').length);
  const here = screen + location.search;
  return `${url}?${new URLSearchParams({ to: here, ...(invitation === null ? {} : { invitation }) }).toString()}`;
}
