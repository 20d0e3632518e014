import { useId } from 'preact/hooks';

/** Lines that the service has written, of all that were sent. */
export function ImportProgress({ done, total }: { done: number; total: number }) {
  const id = useId();
  return (
    <div class="stack import-progress">
      <p id={id}>
        {done.toLocaleString('en')} of {total.toLocaleString('en')} names
      </p>
      <progress aria-labelledby={id} max={Math.max(1, total)} value={Math.min(done, total)} />
      <p class="muted">Keep this page open until it is done.</p>
    </div>
  );
}
