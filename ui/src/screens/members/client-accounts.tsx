import { useState } from 'preact/hooks';
import { openAccount, type OpenedAccount } from '../../../../clients/typescript/src/index.js';
import { useSession } from '../../api/session.js';
import { useAction } from '../../api/use-request.js';
import { Dialog } from '../../components/dialog.js';
import { Icon } from '../../components/icon.js';
import { ProblemNote } from '../../components/problem-note.js';
import { ShownOnce } from '../../components/shown-once.js';
import { InvitationLink } from './invitations.js';

/** Opens accounts for clients, since a client sees only its own names in its own account. */
export function ClientAccounts() {
  const [isOpening, setOpening] = useState(false);
  return (
    <section class="stack-wide" aria-labelledby="accounts">
      <div class="page-head">
        <h2 id="accounts">Accounts for clients</h2>
        <button type="button" class="button" onClick={() => setOpening(true)}>
          <Icon name="plus" /> Open an account
        </button>
      </div>
      <p class="muted">
        A client gets an account of its own, with a plan, names and members that no other account sees.
      </p>
      {isOpening && <OpenDialog onClose={() => setOpening(false)} />}
    </section>
  );
}

interface Opened {
  readonly account: OpenedAccount;
  readonly email: string;
}

/** Shows a form, then the new account's first key, then the link of the invitation. Each secret is shown once. */
function OpenDialog({ onClose }: { onClose: () => void }) {
  const [opened, setOpened] = useState<Opened | null>(null);
  const [hasKey, setHasKey] = useState(false);
  const isAtLink = opened !== null && hasKey && opened.account.link !== null;
  const afterKey = () => (opened?.account.link === null ? onClose() : setHasKey(true));
  return (
    <Dialog title="Open an account" onClose={onClose}>
      {opened === null && <OpenForm onOpened={setOpened} />}
      {opened !== null && !isAtLink && (
        <ShownOnce
          label={`First key of ${opened.account.name}`}
          value={opened.account.key}
          hint="It may do everything in the new account."
          onDone={afterKey}
        />
      )}
      {isAtLink && (
        <InvitationLink
          email={opened.email}
          path={opened.account.link ?? ''}
          isMailed={opened.account.mail === 'queued'}
          onDone={onClose}
        />
      )}
    </Dialog>
  );
}

function OpenForm({ onOpened }: { onOpened: (opened: Opened) => void }) {
  const { client } = useSession();
  const { isBusy, failure, run } = useAction();
  const [name, setName] = useState('');
  const [plan, setPlan] = useState('');
  const [email, setEmail] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    const filled = { ...(plan.trim() && { plan: plan.trim() }), ...(email.trim() && { invite: email.trim() }) };
    run(openAccount({ client, body: { name: name.trim(), ...filled } }), (account) =>
      onOpened({ account, email: email.trim() }),
    );
  };
  return (
    <form class="form" onSubmit={submit}>
      <label class="field">
        <span class="field-label">Name</span>
        <input
          required
          name="name"
          placeholder="Client Ltd"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <label class="field">
        <span class="field-label">Plan</span>
        <input name="plan" value={plan} onInput={(event) => setPlan(event.currentTarget.value)} />
        <span class="field-hint">Without one, the default plan of this service.</span>
      </label>
      <label class="field">
        <span class="field-label">Administrator</span>
        <input
          type="email"
          name="email"
          autocomplete="off"
          placeholder="alice@example.test"
          value={email}
          onInput={(event) => setEmail(event.currentTarget.value)}
        />
        <span class="field-hint">This address is invited as an admin. You can invite somebody later, too.</span>
      </label>
      {failure && <ProblemNote failure={failure} />}
      <div class="button-row">
        <button type="submit" class="button primary" disabled={isBusy}>
          Open
        </button>
      </div>
    </form>
  );
}
