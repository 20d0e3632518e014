/** A saved view: filters and an order with a name. */
export interface SavedView {
  readonly name: string;
  /** The query part of the address, such as `?tag=brand`. It is empty for the whole list. */
  readonly search: string;
}

/** Reads the views that a browser saved. Ignores invalid values, since other pages of the host may write there too. */
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

/** Adds a view, sorted by name. Replaces a view of the same name. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  return [...withoutView(views, view.name), view].sort((one, other) => one.name.localeCompare(other.name, 'en'));
}

export function withoutView(views: readonly SavedView[], name: string): readonly SavedView[] {
  return views.filter((view) => view.name !== name);
}
