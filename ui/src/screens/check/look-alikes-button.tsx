import { useState } from 'preact/hooks';
import type { Failure } from '../../api/call.js';
import { ProblemNote } from '../../components/problem-note.js';
import { useChecks } from './checks.js';

interface LookAlikesButtonProps {
  readonly domain: string;
  /** A label for screen readers, needed if a list has several of these buttons. */
  readonly label?: string;
  readonly children: string;
}

/** Starts a check of the names that people confuse with this name. */
export function LookAlikesButton({ domain, label, children }: LookAlikesButtonProps) {
  const { checkLookAlikes } = useChecks();
  const [failure, setFailure] = useState<Failure | null>(null);
  const start = async () => setFailure(await checkLookAlikes(domain));
  return (
    <>
      <button type="button" class="button small" aria-label={label} onClick={() => void start()}>
        {children}
      </button>
      {failure && <ProblemNote failure={failure} onRetry={() => void start()} />}
    </>
  );
}
