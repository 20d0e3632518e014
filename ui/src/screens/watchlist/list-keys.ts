import { useEffect } from 'preact/hooks';
import { isTyping } from '../../shell/shortcuts.js';

/** Handles keys in the list: `j` and `k` move, `x` selects a name, `e` changes the selected names. */
export function useListKeys(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { altKey, ctrlKey, metaKey, key, target } = event;
      if (altKey || ctrlKey || metaKey || event.defaultPrevented || isTyping(target)) return;
      if (document.querySelector('dialog[open]')) return;
      const act = ACTS[key];
      if (act) act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

const ACTS: Readonly<Record<string, () => void>> = {
  j: () => move(1),
  k: () => move(-1),
  x: () => currentRow()?.querySelector<HTMLElement>('.cell-select input')?.click(),
  e: () => change(),
};

function rows(): readonly Element[] {
  return [...document.querySelectorAll('.watchlist-table tbody tr')];
}

function currentRow(): Element | null {
  return document.activeElement?.closest('.watchlist-table tbody tr') ?? null;
}

function move(step: number): void {
  const all = rows();
  const current = currentRow();
  const at = current ? all.indexOf(current) + step : step > 0 ? 0 : all.length - 1;
  const link = all[Math.max(0, Math.min(all.length - 1, at))]?.querySelector<HTMLElement>('.cell-name a');
  link?.focus();
  link?.scrollIntoView({ block: 'nearest' });
}

/** Changes the selected names, or else the name that has the focus. */
function change(): void {
  const open = () => document.querySelector<HTMLElement>('.bulk-bar .primary')?.click();
  if (document.querySelector('.bulk-bar')) return open();
  const tick = currentRow()?.querySelector<HTMLElement>('.cell-select input');
  if (!tick) return;
  tick.click();
  requestAnimationFrame(() => requestAnimationFrame(open)); // once the bar is drawn
}
