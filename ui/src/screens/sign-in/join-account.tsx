import { useEffect, useState } from 'preact/hooks';
import type { Failure } from '../../api/call.js';
import { Loading } from '../../components/page.js';
import { ProblemNote } from '../../components/problem-note.js';
import { Text } from '../../components/text.js';
import { accountPath, ROUTES, SERVICE_URL } from '../../routes.js';
import { readSignInProblem } from './sign-in-problem.js';

interface Offer {
  readonly account: string;
  readonly email: string;
  readonly role: string;
  readonly inviter: string | null;
}

/** Asks who came back from the provider with an invitation: only the click here joins the account. */
export function JoinAccount() {
  const [offer, setOffer] = useState<Offer | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isJoining, setJoining] = useState(false);
  useEffect(() => {
    document.title = 'Join an account · Namewatch';
    void ask<Offer>('GET').then(
      (found) => setOffer(found),
      (error: unknown) => setFailure(toFailure(error)),
    );
  }, []);
  const join = () => {
    setJoining(true);
    void ask<{ account_id: string }>('POST').then(
      ({ account_id }) => location.assign(`${accountPath(account_id)}/`),
      (error: unknown) => {
        setJoining(false);
        setFailure(toFailure(error));
      },
    );
  };
  return (
    <main class="sign-in">
      <div class="sign-in-card card">
        <h1>Join an account?</h1>
        {failure && <ProblemNote failure={failure} />}
        {!failure && !offer && <Loading label="Reading the invitation" />}
        {offer && !failure && (
          <>
            <p>
              {offer.inviter === null ? 'The operator of this service' : <Text value={offer.inviter} />} invites you,{' '}
              <Text value={offer.email} />, into the account <Text value={offer.account} />, as {offer.role}.
            </p>
            <p class="muted">Join only if you expected this. The account's administrators see your name and address.</p>
            <button type="button" class="button primary" disabled={isJoining} onClick={join}>
              Join <Text value={offer.account} />
            </button>
          </>
        )}
        <p>
          <a href={ROUTES.watchlist}>Go to the dashboard without it</a>
        </p>
      </div>
    </main>
  );
}

/** The status of an answer that is a refusal. */
class Refused extends Error {
  constructor(readonly status: number) {
    super(`refused with ${status}`);
  }
}

async function ask<Answer>(method: 'GET' | 'POST'): Promise<Answer> {
  const headers = { 'x-requested-with': 'namewatch' };
  const answer = await fetch(`${SERVICE_URL}/sign-in/offer`, { method, headers });
  if (!answer.ok) throw new Refused(answer.status);
  return (await answer.json()) as Answer;
}

function toFailure(error: unknown): Failure | null {
  const isOver = error instanceof Refused && error.status < 500 && error.status !== 429;
  return readSignInProblem(`#problem=${isOver ? 'sign_in_invitation' : 'sign_in_unavailable'}`);
}
