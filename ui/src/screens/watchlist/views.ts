/** Filters and an order of the list, by the name that a person gave them. */
export interface SavedView {
  readonly name: string;
  /** The part of the address, such as `?tag=brand`; empty for the whole list. */
  readonly search: string;
}

/** The views that a browser has kept. Any other value is no view: other pages of the host write there too. */
export function parseViews(kept: string | null): readonly SavedView[] {
  if (kept === null) return [];
  try {
    const found: unknown = JSON.parse(kept);
    return Array.isArray(found) ? found.filter(isView) : [];
  } catch {
    return [];
  }
}

function isView(value: unknown): value is SavedView {
  const { name, search } = (value ?? {}) as Partial<Record<keyof SavedView, unknown>>;
  return typeof name === 'string' && typeof search === 'string' && (search === '' || search.startsWith('?'));
}

/** With one more, by name; one of the same name is replaced. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  return [...withoutView(views, view.name), view].sort((one, other) => one.name.localeCompare(other.name, 'en'));
}

export function withoutView(views: readonly SavedView[], name: string): readonly SavedView[] {
  return views.filter((view) => view.name !== name);
}
