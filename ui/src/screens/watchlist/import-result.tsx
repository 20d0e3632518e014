import type { Import } from '../../../../clients/typescript/src/index.js';
import { Text } from '../../components/text.js';

const SHOWN_ERRORS = 100;

/** Counts, and the lines that were refused with the reason of each. */
export function ImportSummary({ summary }: { summary: Import }) {
  const { created, existing, failed, errors } = summary;
  const count = (value: number) => value.toLocaleString('en');
  return (
    <div class="stack">
      <p role="status">
        <strong>{count(created)}</strong> added, <strong>{count(existing)}</strong> watched already,{' '}
        <strong>{count(failed)}</strong> refused.
      </p>
      {errors.length > 0 && (
        <div class="table-box import-errors" tabIndex={0} role="region" aria-label="Refused lines">
          <table class="table">
            <thead>
              <tr>
                <th scope="col">Line</th>
                <th scope="col">Name</th>
                <th scope="col">Why</th>
              </tr>
            </thead>
            <tbody>
              {errors.slice(0, SHOWN_ERRORS).map(({ line, domain, message }) => (
                <tr key={line}>
                  <td>{line}</td>
                  <td>
                    <Text value={domain ?? '–'} max={60} />
                  </td>
                  <td>
                    <Text value={message} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {failed > Math.min(SHOWN_ERRORS, errors.length) && (
        <p class="muted">The first {count(Math.min(SHOWN_ERRORS, errors.length))} of them are listed.</p>
      )}
    </div>
  );
}
