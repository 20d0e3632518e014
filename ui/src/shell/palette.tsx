import { useLocation } from 'preact-iso';
import { useEffect, useId, useState } from 'preact/hooks';
import { listWatchlist } from '../../../clients/typescript/src/index.js';
import { useSession } from '../api/session.js';
import { useRequest } from '../api/use-request.js';
import { Dialog } from '../components/dialog.js';
import { Icon } from '../components/icon.js';
import { ShortText } from '../components/text.js';
import { namePath, ROUTES } from '../routes.js';
import { SCREENS } from '../screens.js';
import { type Command, commandsFor } from './commands.js';

/** Finds screens and names by typed text. Also offers to check or add the text. */
export function Palette({ onClose }: { onClose: () => void }) {
  const { client, can } = useSession();
  const { route } = useLocation();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const search = useSettled(text.trim());
  const { data } = useRequest(
    async (signal) => {
      if (search === '' || !can('watchlist:read')) return { data: [] };
      const read = async (filter: { readonly domain: string } | { readonly search: string }) => {
        const query = { ...filter, per_page: 8, sort: 'domain' } as const;
        const { data: found } = await listWatchlist({ client, signal, throwOnError: true, query });
        return found.data.map(({ domain }) => domain);
      };
      // Names that begin with the text come before names that match by tag or note.
      const [beginning, others] = await Promise.all([read({ domain: search }), read({ search })]);
      return { data: [...new Set([...beginning, ...others])] };
    },
    [search],
  );
  const commands = commandsFor(text, data ?? [], {
    namePath,
    screens: screenCommands(can),
    checkPath: can('domains:read') ? (typed) => withText(ROUTES.check, 'names', typed) : null,
    addPath: can('watchlist:write') ? (typed) => withText(ROUTES.watchlist, 'add', typed || ' ') : null,
  });
  const current = commands[Math.min(chosen, commands.length - 1)];
  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    route(command.path);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen((Math.min(chosen, commands.length - 1) + step + commands.length) % commands.length);
    } else if (event.key === 'Enter' && !event.isComposing) {
      event.preventDefault();
      run(current);
    }
  };
  return (
    <Dialog title="Go to, find, check or add" onClose={onClose}>
      <input
        role="combobox"
        aria-label="Command"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={current && `${id}-${current.key}`}
        aria-autocomplete="list"
        placeholder="A name, a screen, or what you want to do"
        autocomplete="off"
        spellcheck={false}
        maxLength={253}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
        autofocus
      />
      <ul class="palette" role="listbox" id={id} aria-label="Commands">
        {commands.map((command) => (
          <li
            key={command.key}
            id={`${id}-${command.key}`}
            role="option"
            class="palette-choice"
            aria-selected={command === current}
            onClick={() => run(command)}
          >
            <Icon name={command.icon} /> <ShortText value={command.label} max={60} />
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function screenCommands(can: (scope: string) => boolean): readonly Command[] {
  return SCREENS.flatMap(({ path, navigation, scope, isAboutExtensions = false }) =>
    navigation && !isAboutExtensions && (scope === null || can(scope))
      ? [{ key: path, label: navigation.label, icon: navigation.icon, path }]
      : [],
  );
}

function withText(path: string, name: string, text: string): string {
  return text === '' ? path : `${path}?${new URLSearchParams({ [name]: text }).toString()}`;
}

const TYPING_MS = 150;

/** Returns the text after the person has stopped typing for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
