import type { Import } from '../../../../clients/typescript/src/index.js';
import type { Outcome } from '../../api/call.js';
import { Text } from '../../components/text.js';
import { chooseColumn, type ChosenColumns, type FileColumn } from './choose-column.js';

const FIELDS: Readonly<Record<string, string>> = {
  domain: 'Name',
  tags: 'Tags',
  note: 'Note',
  purpose: 'Purpose',
  interval_minutes: 'Interval in minutes',
  expiring_window_days: 'Window in days',
  remind_days: 'Reminders',
  renewal_on: 'Renewal on',
  renewal_note: 'Renewal note',
  expected_nameservers: 'Expected name servers',
  expected_registrar_id: 'Expected registrar',
  expected_locked: 'Expected lock',
};

/** The columns and first lines of a CSV file, as the service read them. */
export interface ReadColumns {
  readonly columns: readonly FileColumn[];
  readonly rows: readonly (readonly string[])[];
}

/** Reads the columns from a response, even from the refusal of a file without a column of names. */
export function readColumns(outcome: Outcome<Import>): ReadColumns | null {
  if (outcome.ok) return { columns: outcome.data.columns ?? [], rows: outcome.data.first_rows ?? [] };
  const { columns, first_rows: rows } = (outcome.failure.problem ?? {}) as {
    columns?: string[];
    first_rows?: string[][];
  };
  return columns && rows ? { columns: columns.map((name) => ({ name, field: null })), rows } : null;
}

interface ColumnTableProps extends ReadColumns {
  readonly onChoose: (columns: ChosenColumns) => void;
}

const SAMPLES = 3;

/** Shows the meaning of each column beside its first values, and lets people change the meaning. */
export function ColumnTable({ columns, rows, onChoose }: ColumnTableProps) {
  return (
    <div class="table-box import-columns" tabIndex={0} role="region" aria-label="Columns and first lines">
      <table class="table stacked">
        <thead>
          <tr>
            <th scope="col">Column</th>
            <th scope="col">Used as</th>
            <th scope="col">First lines</th>
          </tr>
        </thead>
        <tbody>
          {columns.map(({ name, field }, column) => (
            <tr key={name}>
              <th scope="row">
                <Text value={name} max={40} />
              </th>
              <td data-label="Used as">
                <select
                  aria-label={`Use ${name} as`}
                  value={field ?? ''}
                  onChange={({ currentTarget }) => onChoose(chooseColumn(columns, name, currentTarget.value))}
                >
                  <option value="">Ignored</option>
                  {Object.entries(FIELDS).map(([value, label]) => (
                    <option key={value} value={value}>
                      {label}
                    </option>
                  ))}
                </select>
              </td>
              <td class="muted" data-label="First lines">
                {rows.slice(0, SAMPLES).map((cells, at) => (
                  <div key={at}>
                    <Text value={cells[column] ?? ''} max={60} />
                  </div>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
