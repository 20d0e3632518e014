import { useLocation } from 'preact-iso';
import { useEffect } from 'preact/hooks';
import { SCREENS } from '../screens.js';

/** As the keyboard of the reader calls it. */
export function shortcutText(letter: string): string {
  return /Mac|iPad|iPhone/.test(navigator.userAgent) ? `\u2325${letter}` : `Alt ${letter}`;
}

/** Opens screens by their shortcuts: not while something is being typed, nor from a dialog, where it would be lost. */
export function useShortcuts(): void {
  const { route } = useLocation();
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      const { altKey, ctrlKey, metaKey, shiftKey, code, repeat } = event;
      if (!altKey || ctrlKey || metaKey || shiftKey || repeat || event.defaultPrevented || isElsewhere(event.target))
        return;
      // With Alt, a Mac types another letter: the place of the key counts.
      const screen = SCREENS.find(({ navigation }) => code === `Key${navigation?.shortcut}`);
      if (!screen) return;
      event.preventDefault();
      route(screen.path);
    };
    document.addEventListener('keydown', open);
    return () => document.removeEventListener('keydown', open);
  }, []);
}

function isElsewhere(target: EventTarget | null): boolean {
  const isInField = target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;
  return isInField || document.querySelector('dialog[open]') !== null;
}
