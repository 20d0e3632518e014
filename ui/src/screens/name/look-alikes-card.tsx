import { useSession } from '../../api/session.js';
import { CheckResults } from '../check/check-results.js';
import { lookAlikesTitle, useChecks } from '../check/checks.js';
import { LookAlikesButton } from '../check/look-alikes-button.js';

/** Checks names that people confuse with this name, on demand. */
export function LookAlikesCard({ domain }: { domain: string }) {
  const { can } = useSession();
  const { runs, close } = useChecks();
  if (!can('domains:read')) return null;
  const run = runs.find(({ title }) => title === lookAlikesTitle(domain));
  if (run) return <CheckResults run={run} onClose={() => close(run)} />;
  return (
    <section class="card stack" aria-labelledby="look-alikes">
      <h2 id="look-alikes">Look-alikes</h2>
      <p class="muted">The same word under other endings, typing mistakes, and letters that look alike.</p>
      <div class="button-row">
        <LookAlikesButton domain={domain}>See which are taken</LookAlikesButton>
      </div>
    </section>
  );
}
