const SHOWN_TLDS = 6;

/** Shows only the first TLDs, since there may be hundreds. */
export function TldList({ tlds }: { tlds: readonly string[] }) {
  const names = tlds.map((tld) => `.${tld}`);
  if (names.length <= SHOWN_TLDS) return <>{names.join(' ')}</>;
  return (
    <details>
      <summary>
        {names.slice(0, SHOWN_TLDS).join(' ')} <span class="muted">and {names.length - SHOWN_TLDS} more</span>
      </summary>
      {names.slice(SHOWN_TLDS).join(' ')}
    </details>
  );
}
