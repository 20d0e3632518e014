import { type IconName, PATHS } from './icon-paths.js';

export type { IconName } from './icon-paths.js';

/** A decoration beside a word; a button of an icon alone has a label of its own. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
