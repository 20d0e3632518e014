/** A header of the form, in the order of its input. */
export interface HeaderRow {
  readonly name: string;
  readonly value: string;
}

interface HeaderFieldsProps {
  readonly rows: readonly HeaderRow[];
  readonly onRows: (rows: readonly HeaderRow[]) => void;
}

const AT_MOST = 10;

/** Additional headers of a webhook, such as a token of its receiver. */
export function HeaderFields({ rows, onRows }: HeaderFieldsProps) {
  const change = (index: number, part: Partial<HeaderRow>) =>
    onRows(rows.map((row, at) => (at === index ? { ...row, ...part } : row)));
  return (
    <fieldset class="choices">
      <legend class="field-label">Additional headers</legend>
      <p class="field-hint">A token of the receiver, for example. Values are sealed and never shown again.</p>
      {rows.map(({ name, value }, index) => (
        <div key={index} class="header-row">
          <input
            aria-label={`Name of header ${index + 1}`}
            placeholder="x-token"
            value={name}
            onInput={(event) => change(index, { name: event.currentTarget.value })}
          />
          <input
            aria-label={`Value of header ${index + 1}`}
            value={value}
            autocomplete="off"
            onInput={(event) => change(index, { value: event.currentTarget.value })}
          />
        </div>
      ))}
      {rows.length < AT_MOST && (
        <button type="button" class="button small" onClick={() => onRows([...rows, { name: '', value: '' }])}>
          Add a header
        </button>
      )}
    </fieldset>
  );
}

/** Null when there is none; rows without a name are left out. */
export function toHeaders(rows: readonly HeaderRow[]): Record<string, string> | null {
  const named = rows.map(({ name, value }) => [name.trim(), value] as const).filter(([name]) => name !== '');
  return named.length === 0 ? null : Object.fromEntries(named);
}
