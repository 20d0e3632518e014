import { useState } from 'preact/hooks';
import { useSession } from '../../api/session.js';
import { Menu } from '../../components/menu.js';
import { ShortText } from '../../components/text.js';
import { ROUTES } from '../../routes.js';
import { formatQuery, isFiltered, type ListQuery } from './list-query.js';
import { parseViews, type SavedView, withoutView, withView } from './views.js';

/** Filters and orders that were saved under a name in this browser. */
export function SavedViews({ query }: { query: ListQuery }) {
  const { me } = useSession();
  const key = `namewatch.views.${me.account.id}`;
  const [views, setViews] = useState(() => parseViews(localStorage.getItem(key)));
  const [name, setName] = useState('');
  const search = formatQuery({ ...query, page: 1 });
  const canSave = isFiltered(query) || search !== '';
  if (views.length === 0 && !canSave) return null;
  const store = (next: readonly SavedView[]) => {
    setViews(next);
    localStorage.setItem(key, JSON.stringify(next));
  };
  return (
    <Menu label="Views">
      {(close) => (
        <>
          {views.length > 0 && (
            <ul class="plain-list">
              {views.map((view) => (
                <li key={view.name} class="saved-view">
                  <a class="menu-choice" href={`${ROUTES.watchlist}${view.search}`} onClick={close}>
                    <ShortText value={view.name} max={30} />
                  </a>
                  <button
                    type="button"
                    class="link-button"
                    aria-label={`Delete the view ${view.name}`}
                    onClick={() => store(withoutView(views, view.name))}
                  >
                    Delete
                  </button>
                </li>
              ))}
            </ul>
          )}
          {canSave && (
            <form
              class="save-view"
              onSubmit={(event) => {
                event.preventDefault();
                store(withView(views, { name: name.trim(), search }));
                setName('');
                close();
              }}
            >
              <input
                aria-label="Name of this view"
                placeholder="Name of this view"
                required
                maxLength={60}
                pattern=".*\S.*"
                value={name}
                onInput={({ currentTarget }) => setName(currentTarget.value)}
              />
              <button type="submit" class="button small">
                Save
              </button>
            </form>
          )}
        </>
      )}
    </Menu>
  );
}
