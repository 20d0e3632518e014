import { useLocation } from 'preact-iso';
import { useEffect } from 'preact/hooks';
import { SCREENS } from '../screens.js';

/** Returns the shortcut as the reader's keyboard names the keys. */
export function shortcutText(letter: string): string {
  return isMac() ? `\u2325${letter}` : `Alt ${letter}`;
}

function isMac(): boolean {
  return /Mac|iPad|iPhone/.test(navigator.userAgent);
}

interface Openers {
  readonly openPalette: () => void;
  readonly openHelp: () => void;
}

/** Handles keys on every screen. Ignores single letters while somebody types, and all keys in a dialog. */
export function useShortcuts({ openPalette, openHelp }: Openers): void {
  const { route } = useLocation();
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.repeat || event.defaultPrevented || document.querySelector('dialog[open]')) return;
      const run = findAct(event);
      if (!run) return;
      event.preventDefault();
      run();
    };
    const findAct = (event: KeyboardEvent): (() => void) | undefined => {
      const { altKey, ctrlKey, metaKey, shiftKey, code, key } = event;
      if ((ctrlKey || metaKey) && !altKey && !shiftKey) return key.toLowerCase() === 'k' ? openPalette : undefined;
      if (ctrlKey || metaKey || isTyping(event.target)) return undefined;
      if (altKey && !shiftKey) {
        // With Alt, a Mac types another letter, so this compares the physical key.
        const screen = SCREENS.find(({ navigation }) => code === `Key${navigation?.shortcut}`);
        return screen && (() => route(screen.path));
      }
      if (key === '?') return openHelp;
      const field = key === '/' ? document.querySelector<HTMLElement>('main input[type=search]') : null;
      return field ? () => field.focus() : undefined;
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

/** Whether keys go into a text field or a select box. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  const isTick = target instanceof HTMLInputElement && target.type === 'checkbox';
  return !isTick && target.closest('input, textarea, select, [contenteditable]') !== null;
}
