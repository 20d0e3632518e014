import { type IconName, PATHS } from './icon-paths.js';

export type { IconName } from './icon-paths.js';

/** A decoration beside a word. A button with only an icon needs its own label. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
