/** While there is nothing to show yet. */
export function Loading({ label = 'Loading' }: { label?: string }) {
  return (
    <p class="loading" role="status">
      <span class="spinner" aria-hidden="true" /> {label}…
    </p>
  );
}
