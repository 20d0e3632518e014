interface PagerProps {
  readonly page: number;
  readonly perPage: number;
  readonly total: number;
  readonly onPage: (page: number) => void;
}

/** Shows a range such as `1–50 of 100 000`, with buttons for the pages before and after. */
export function Pager({ page, perPage, total, onPage }: PagerProps) {
  const last = Math.max(1, Math.ceil(total / perPage));
  const from = Math.min(total, (page - 1) * perPage + 1);
  const to = Math.min(total, page * perPage);
  const format = (count: number) => count.toLocaleString('en');
  return (
    <nav class="pager" aria-label="Pages">
      <p class="muted" role="status">
        {total === 0 ? 'None' : `${format(from)}–${format(to)} of ${format(total)}`}
      </p>
      {last > 1 && (
        <div class="button-row">
          <button type="button" class="button small" disabled={page <= 1} onClick={() => onPage(1)}>
            First
          </button>
          <button type="button" class="button small" disabled={page <= 1} onClick={() => onPage(page - 1)}>
            Previous
          </button>
          <button type="button" class="button small" disabled={page >= last} onClick={() => onPage(page + 1)}>
            Next
          </button>
          <button type="button" class="button small" disabled={page >= last} onClick={() => onPage(last)}>
            Last
          </button>
        </div>
      )}
    </nav>
  );
}
